#include "fdbjobs/fdb/database.h"

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/bytes.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::fdb {

absl::StatusOr<Database> Database::Open(std::string_view text, const std::string& library) {
  absl::StatusOr<DatabaseName> name = DatabaseName::Parse(text);
  if (!name.ok()) return name.status();
  const absl::StatusOr<Client*> client = Client::Load(name->engine, library);
  if (!client.ok()) return Annotate(client.status(), absl::StrCat("open ", name->ToString()));
  if (absl::Status status = (*client)->StartNetwork(); !status.ok()) {
    return Annotate(status, absl::StrCat("open ", name->ToString()));
  }

  const abi::Api& api = (*client)->api();
  // The embedded engine also takes a bare path, but reads a file there as a cluster file. The scheme rules that out.
  const std::string target = name->engine == Engine::kEmbedded ? name->ToString() : name->path;
  abi::Database* handle = nullptr;
  const abi::ErrorCode code = api.create_database(target.empty() ? nullptr : target.c_str(), &handle);
  if (code != 0) {
    const char* const detail = api.embedded_error_detail == nullptr ? nullptr : api.embedded_error_detail();
    return StatusFromCode(api, code, absl::StrCat("open ", name->ToString()), Phase::kOther,
                          detail == nullptr ? "" : detail);
  }
  return Database(**client, handle, *std::move(name));
}

Database::~Database() {
  if (handle_ != nullptr) client_->api().database_destroy(handle_);
}

absl::StatusOr<OwnedTransaction> Database::CreateTransaction() const {
  FDBTransaction* handle = nullptr;
  const abi::Api& api = client_->api();
  const abi::ErrorCode code = api.database_create_transaction(handle_, &handle);
  if (code != 0) return StatusFromCode(api, code, "create transaction");
  return OwnedTransaction(*client_, handle);
}

absl::Status Database::SetOption(DatabaseFlag option) {
  const abi::Api& api = client_->api();
  return StatusFromCode(api, api.database_set_option(handle_, static_cast<int>(option), nullptr, 0),
                        "set database option");
}

absl::Status Database::SetOption(DatabaseInt option, int64_t value) {
  const abi::Api& api = client_->api();
  const IntParameter parameter(value);
  return StatusFromCode(
      api, api.database_set_option(handle_, static_cast<int>(option), parameter.data(), parameter.length()),
      "set database option");
}

absl::Status Database::SetOption(DatabaseText option, std::string_view value) {
  const abi::Api& api = client_->api();
  return StatusFromCode(api, api.database_set_option(handle_, static_cast<int>(option), Bytes(value), Length(value)),
                        "set database option");
}

}  // namespace fdbjobs::fdb
