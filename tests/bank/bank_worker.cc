// A worker process of the bank test: tellers in several threads and a rescuer, until SIGTERM. What they did goes over
// the pipe to the test.
//
// usage: bank_worker <database> <prefix> <threads> <seed> <timeout in milliseconds>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "fdbjobs/fdb/status.h"
#include "tests/bank/rescuer.h"
#include "tests/bank/teller.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {
namespace {

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "bank_worker: %s\n", status.ToString().c_str());
  std::abort();
}

// Small enough for the pipe to take it as a whole or not at all.
void Send(const TellerReport& report) {
  if (write(kReportDescriptor, &report, sizeof report) != sizeof report) std::_Exit(1);
}

void PutBackUntilStopped(Rescuer& rescuer, const Claimer& claimer, absl::Duration timeout) {
  while (!claimer.stopped()) {
    const absl::StatusOr<int> put_back = rescuer.RunOnce(absl::Now());
    if (!put_back.ok() && fdb::FdbCode(put_back.status()) == 0) Die(put_back.status());
    if (put_back.ok() && *put_back > 0) Send({.put_back = *put_back});
    absl::SleepFor(timeout / 4);
  }
}

void WorkUntilStopped(Teller& teller, const Claimer& claimer) {
  while (!claimer.stopped()) {
    const absl::StatusOr<TellerReport> report = teller.Work();
    if (!report.ok()) Die(report.status());
    Send(*report);
  }
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) {
    std::fprintf(stderr, "usage: %s <database> <prefix> <threads> <seed> <timeout in milliseconds>\n",
                 arguments[0].c_str());
    return 2;
  }
  // Does not outlive the test, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Every thread inherits that it is blocked, so the main thread gets it from sigwait.
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &end, nullptr);

  const absl::StatusOr<fdb::Database> db = fdb::Database::Open(arguments[1]);
  if (!db.ok()) Die(db.status());
  const Jobs jobs({.prefix = arguments[2] + "jobs/"});
  const Bank bank(arguments[2] + "bank/");
  const absl::Duration timeout = absl::Milliseconds(std::stoll(arguments[5]));
  Claimer single(*db, jobs, kMoveType, {.limit = 1});
  Claimer batch(*db, jobs, kMoveType, {.limit = 16});
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < std::stoull(arguments[3]); ++i) {
    Claimer& claimer = i % 2 == 0 ? batch : single;
    threads.emplace_back([&, seed = std::stoull(arguments[4]) + i] {
      Teller teller(*db, jobs, bank, claimer, timeout, seed);
      WorkUntilStopped(teller, claimer);
    });
  }
  threads.emplace_back([&] {
    Rescuer rescuer(*db, jobs, kMoveType, timeout);
    PutBackUntilStopped(rescuer, batch, timeout);
  });
  int signal = 0;
  sigwait(&end, &signal);
  single.Stop();
  batch.Stop();
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace fdbjobs::test

int main(int argc, char** argv) { return fdbjobs::test::Main({argv, argv + argc}); }
