// Database: an open database, a cluster's or an embedded folder's; makes transactions.
//
// Thread safety: every method may be called from any thread.
// Lifetime: move-only, one owner. Transactions must not outlive it.
//
//   absl::StatusOr<Database> database = Database::Open("embedded:/var/lib/jobs");
//   if (!database.ok()) return database.status();
//   absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
#ifndef FDBJOBS_FDB_DATABASE_H_
#define FDBJOBS_FDB_DATABASE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database_name.h"
#include "fdbjobs/fdb/options.h"
#include "fdbjobs/fdb/transaction.h"

namespace fdbjobs::fdb {

class Database {
 public:
  // Opens the database of `name` (see database_name.h), loads its client and starts the client's network, as far as
  // that has not happened. `library` is as in Client::Load.
  // FoundationDB does not connect here: without a cluster, transactions wait until there is one (or time out).
  static absl::StatusOr<Database> Open(std::string_view name, const std::string& library = "");

  Database(Database&& other) noexcept
      : client_(other.client_), handle_(std::exchange(other.handle_, nullptr)), name_(std::move(other.name_)) {}
  Database& operator=(Database&& other) noexcept {
    Database taken(std::move(other));
    std::swap(client_, taken.client_);
    std::swap(handle_, taken.handle_);
    std::swap(name_, taken.name_);
    return *this;
  }
  ~Database();

  absl::StatusOr<OwnedTransaction> CreateTransaction() const;

  absl::Status SetOption(DatabaseFlag option);
  absl::Status SetOption(DatabaseInt option, int64_t value);
  absl::Status SetOption(DatabaseText option, std::string_view value);

  Client& client() const { return *client_; }
  const DatabaseName& name() const { return name_; }

 private:
  Database(Client& client, abi::Database* owned, DatabaseName name)
      : client_(&client), handle_(owned), name_(std::move(name)) {}

  Client* client_;
  abi::Database* handle_;  // null when moved from
  DatabaseName name_;
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_DATABASE_H_
