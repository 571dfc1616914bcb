// What the exported functions share: handles, arguments as views, and the wall that no exception passes.
//
// Thread safety: pure functions.
//
//   FDB_future* fdb_transaction_commit(FDB_transaction* transaction) noexcept {
//     return GuardFuture([&] { return transaction->impl->Commit(); });
//   }
#ifndef FDBJOBS_EMBEDDED_FDB_C_GLUE_H_
#define FDBJOBS_EMBEDDED_FDB_C_GLUE_H_

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/database_state.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/future.h"
#include "fdbjobs/embedded/last_error.h"
#include "fdbjobs/embedded/transaction.h"

struct FDB_database {
  std::shared_ptr<fdbjobs::embedded::DatabaseState> state;
};

struct FDB_transaction {
  std::shared_ptr<fdbjobs::embedded::Transaction> impl;
};

namespace fdbjobs::embedded {

inline Future* Unwrap(FDB_future* future) { return static_cast<Future*>(future); }

// A length below zero is a mistake of the caller's; it must not become a very large one.
inline std::string_view View(const uint8_t* bytes, int length) {
  return length > 0 ? std::string_view(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length))
                    : std::string_view();
}

inline std::optional<std::string_view> OptionValueView(const uint8_t* value, int length) {
  if (value == nullptr) return std::nullopt;
  return View(value, length);
}

// Call in a catch block: the code for the exception that is being handled.
ErrorCode CodeOfException() noexcept;

// Runs `body`, which returns an ErrorCode.
template <typename Body>
ErrorCode Guard(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return CodeOfException();
  }
}

// Runs `body`, which returns a FutureRef, and gives its reference to the caller of the ABI.
template <typename Body>
FDB_future* GuardFuture(Body body) noexcept {
  try {
    return body().Release();
  } catch (...) {
    return Future::MakeReady(CodeOfException()).Release();
  }
}

// A future that failed at once, with a sentence for fdb_embedded_error_detail.
FDB_future* RefusedFuture(ErrorCode error, const char* detail) noexcept;

// kApiVersionUnset before fdb_select_api_version.
ErrorCode CheckApiVersion();

// What fdb_create_database and fdb_cluster_create_database do.
ErrorCode OpenDatabase(const char* cluster_file, std::shared_ptr<DatabaseState>* state);
// What fdb_create_database_from_connection_string does.
ErrorCode OpenConnectionString(const char* connection_string, std::shared_ptr<DatabaseState>* state);

// For the getter of a kind of result that no future of ours has.
inline ErrorCode GetUnservedKind(FDB_future* future) {
  const ErrorCode error = Unwrap(future)->error();
  return error != kSuccess ? error : kClientInvalidOperation;
}

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FDB_C_GLUE_H_
