// Uses a database folder under hard conditions, and reports what happened to the test in lines of "name: text".
//
// usage: folder_probe <folder> unprivileged   opens it as a user who owns nothing
//        folder_probe <folder> no-space       opens it when not even a page can be written
//        folder_probe <folder> put            sets "key" to "value"
//        folder_probe <folder> fill           fills the disk, makes room again, opens it again; the folder is new
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {
namespace {

constexpr int kNobody = 65534;
// Less than one more segment of the log.
constexpr rlim_t kLittle = 200'000;

void Report(const std::string& name, const std::string& text) {
  const std::string line = absl::StrCat(name, ": ", text, "\n");
  if (write(kReportDescriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::_Exit(1);
}

void Report(const std::string& name, const absl::Status& status) {
  Report(name, status.ok() ? "ok" : absl::StrCat(fdb::FdbCode(status), " ", status.message()));
}

bool LimitFileSize(rlim_t most) {
  // A write beyond the limit then fails, as one on a full disk does, instead of ending the process.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = most;
  return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

// A disk that gets full: a small file system of this process alone where the machine lets us mount one, else a limit
// on the size of files, which the engine meets in the same places.
class SmallDisk {
 public:
  explicit SmallDisk(std::string folder) : folder_(std::move(folder)) {
    mounted_ = unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=8m") == 0;
  }
  bool StartFilling() { return mounted_ || LimitFileSize(kLittle); }
  bool MakeRoom() {
    if (mounted_) return mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0;
    return LimitFileSize(RLIM_INFINITY);
  }
  std::string kind() const { return mounted_ ? "small file system" : "limit on files"; }

 private:
  const std::string folder_;
  bool mounted_ = false;
};

std::string KeyOf(int number) { return absl::StrCat("row/", number); }
std::string ValueOf(int number) { return std::string(20'000, static_cast<char>('a' + number % 26)); }

absl::Status Put(const fdb::Database& database, int number) {
  return fdb::Transact(database, [number](fdb::Transaction& tr) {
    tr.Set(KeyOf(number), ValueOf(number));
    return absl::OkStatus();
  });
}

// "right" when rows 0 to `count` are there and no more.
std::string LookAt(const fdb::Database& database, int count) {
  for (int number = 0; number <= count; ++number) {
    const auto value = fdb::Transact(database, [number](fdb::Transaction& tr) {
      return tr.Get(KeyOf(number), fdb::Isolation::kSnapshot).Await();  // nobody else writes
    });
    if (!value.ok()) return value.status().ToString();
    const bool wanted = number < count;
    if (wanted != value->has_value() || (wanted && **value != ValueOf(number)))
      return absl::StrCat("wrong at ", number);
  }
  return "right";
}

// Adds rows from `count` on until one fails.
absl::Status PutUntilFull(const fdb::Database& database, int* count) {
  for (; *count < 100'000; ++*count) {
    const absl::Status status = Put(database, *count);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

int Fill(const std::string& folder) {
  SmallDisk disk(folder);
  Report("disk", disk.kind());
  const std::string name = "embedded:" + folder;
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(name);
  Report("open", database.status());
  if (!database.ok() || !disk.StartFilling()) return 1;
  const absl::Time begun = absl::Now();
  int count = 0;
  Report("full", PutUntilFull(*database, &count));
  Report("detail", database->client().api().embedded_error_detail());
  Report("rows", absl::StrCat(count));
  // Who found no room finds none a moment later either. Only old commits that are folded meanwhile give some back.
  const bool folds = absl::Now() - begun > absl::Seconds(5);
  Report("full again", folds ? PutUntilFull(*database, &count) : Put(*database, count));
  Report("while full", LookAt(*database, count));
  if (!disk.MakeRoom()) return 1;
  Report("with room", Put(*database, count));
  Report("after", LookAt(*database, count + 1));
  database = absl::UnknownError("closed");
  database = fdb::Database::Open(name);
  Report("open again", database.status());
  if (!database.ok()) return 1;
  Report("reopened", LookAt(*database, count + 1));
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3) {
    std::fprintf(stderr, "usage: %s <folder> unprivileged|no-space|put|fill\n", arguments[0].c_str());
    return 2;
  }
  if (arguments[2] == "fill") return Fill(arguments[1]);
  // Loaded with all rights: it is the folder that is to be out of reach, not the library.
  const absl::StatusOr<fdb::Client*> client = fdb::Client::Load(fdb::Engine::kEmbedded);
  if (!client.ok()) return 1;
  if (arguments[2] == "unprivileged" && geteuid() == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) return 1;
  }
  if (arguments[2] == "no-space" && !LimitFileSize(1)) return 1;
  const absl::StatusOr<fdb::Database> database = fdb::Database::Open("embedded:" + arguments[1]);
  Report("open", database.status());
  if (arguments[2] != "put" || !database.ok()) return 0;
  Report("put", fdb::Transact(*database, [](fdb::Transaction& tr) {
           tr.Set("key", "value");
           return absl::OkStatus();
         }));
  return 0;
}

}  // namespace
}  // namespace fdbjobs::test

int main(int argc, char** argv) { return fdbjobs::test::Main({argv, argv + argc}); }
