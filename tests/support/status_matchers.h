// Matchers for absl::Status and absl::StatusOr.
//
//   EXPECT_THAT(tr.Commit().Await(), IsOk());
//   EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kNotCommitted));
//   EXPECT_THAT(future.Await(), IsOkAnd(42));
#ifndef FDBJOBS_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define FDBJOBS_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/status.h"
#include "gmock/gmock.h"

namespace fdbjobs::test {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, "is ok") {
  *result_listener << StatusOf(arg);
  return arg.ok();
}

MATCHER_P(IsOkAnd, inner, "is ok and its value is the expected one") {
  if (!arg.ok()) {
    *result_listener << arg.status();
    return false;
  }
  return ::testing::ExplainMatchResult(inner, arg.value(), result_listener);
}

MATCHER_P(IsFdbError, code, "is FoundationDB error " + ::testing::PrintToString(code)) {
  *result_listener << StatusOf(arg);
  return fdb::FdbCode(StatusOf(arg)) == code;
}

MATCHER_P2(HasStatus, code, message, "has a certain status code and message") {
  *result_listener << StatusOf(arg);
  return StatusOf(arg).code() == code &&
         ::testing::ExplainMatchResult(message, std::string(StatusOf(arg).message()), result_listener);
}

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_STATUS_MATCHERS_H_
