// How the benchmarks fail: by exception, which main prints. A benchmark that can't go on has nothing to return.
//
// Thread safety: pure functions.
//
//   fdb::Database database = Require(fdb::Database::Open(name), "open the database");
#ifndef FDBJOBS_TOOLS_BENCH_ERRORS_H_
#define FDBJOBS_TOOLS_BENCH_ERRORS_H_

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace fdbjobs::bench {

class BenchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws with `doing` and the message unless `status` is ok.
void Require(const absl::Status& status, std::string_view doing);

template <typename T>
T Require(absl::StatusOr<T> value, std::string_view doing) {
  Require(value.status(), doing);
  return *std::move(value);
}

// Throws with `doing` and the text of errno when `ok` is false.
void RequireSystem(bool ok, std::string_view doing);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ERRORS_H_
