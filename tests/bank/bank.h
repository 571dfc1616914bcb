// Bank: the money that the jobs of the bank test move, and how to tell whether a move is missing or was made twice.
//
// A job has one to three steps, and each step moves money. Which accounts and how much follows from the numbers of job
// and step, so the end is known beforehand. A step writes, in the transaction of the worker's call:
//   ledger/<job>/<step>   one more (ADD): 1 when the step was made once
//   account/<i>           the money; some steps add blindly, others read both accounts and set them
//   total                 the number of steps (ADD)
// Nothing here guards against a second time: ledger rows are not read. Only the jobs layer can.
//
// Thread safety: any thread. Lifetime: plain values.
//
//   if (outcome == Outcome::kOk) status = bank.Move(tr, 17, 0);
//   std::vector<std::string> problems = *bank.Check(db, 1000);
#ifndef FDBJOBS_TESTS_BANK_BANK_H_
#define FDBJOBS_TESTS_BANK_BANK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"

namespace fdbjobs::test {

// The job's data: which it is, and which step is next.
struct Progress {
  int64_t job = 0;
  int step = 0;

  std::string ToJson() const;
  static absl::StatusOr<Progress> FromJson(std::string_view data);
};

// How many steps the job has: 1 to 3.
int StepsOf(int64_t job);
// Whether the job is removed when it is finished.
bool IsRemovedAtEnd(int64_t job);

class Bank {
 public:
  static constexpr int kAccounts = 1000;

  // `prefix` of all its keys.
  explicit Bank(std::string prefix) : prefix_(std::move(prefix)) {}

  // One step.
  absl::Status Move(fdb::Transaction& tr, int64_t job, int step) const;

  // What is wrong after all steps of jobs 0 to `jobs` - 1. Empty: nothing.
  absl::StatusOr<std::vector<std::string>> Check(const fdb::Database& db, int64_t jobs) const;

 private:
  std::string LedgerKey(int64_t job, int step) const;
  std::string AccountKey(int account) const;
  std::string TotalKey() const { return prefix_ + "total"; }

  const std::string prefix_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_BANK_BANK_H_
