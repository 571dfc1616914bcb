#include <cstdio>
#include <string>

#include "fdbjobs/embedded/api_version.h"
#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

namespace {

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + '"';
}

// The members that FoundationDB's report has, as far as they mean something here.
std::string ClientStatus(const DatabaseState& database) {
  char protocol[24];
  std::snprintf(protocol, sizeof(protocol), "%llx", static_cast<unsigned long long>(kProtocolVersion));
  const std::string release(kClientVersion, std::string_view(kClientVersion).find(','));
  return "{\"Healthy\":true,\"InitializationState\":\"created\",\"ProtocolVersion\":" + JsonString(protocol) +
         ",\"ConnectionRecord\":" + JsonString("embedded:" + database.folder()) +
         ",\"DatabaseStatus\":{\"Healthy\":true},\"AvailableClients\":[{\"ProtocolVersion\":" + JsonString(protocol) +
         ",\"ReleaseVersion\":" + JsonString(release) + ",\"ThreadIndex\":0}]}";
}

}  // namespace

FdbError fdb_create_database(const char* cluster_file, FDB_database** database) noexcept {
  return Guard([&] {
    std::shared_ptr<DatabaseState> state;
    if (ErrorCode error = OpenDatabase(cluster_file, &state)) return error;
    *database = new FDB_database{std::move(state)};
    return kSuccess;
  });
}

FdbError fdb_create_database_from_connection_string(const char* connection_string, FDB_database** database) noexcept {
  return Guard([&] {
    std::shared_ptr<DatabaseState> state;
    if (ErrorCode error = OpenConnectionString(connection_string, &state)) return error;
    *database = new FDB_database{std::move(state)};
    return kSuccess;
  });
}

void fdb_database_destroy(FDB_database* database) noexcept { delete database; }

FdbError fdb_database_set_option(FDB_database* database, int option, FdbBytes value, int value_length) noexcept {
  return Guard([&] {
    const ErrorCode error = database->state->SetOption(option, OptionValueView(value, value_length));
    if (error == kSuccess) return kSuccess;
    return Fail(error, "database option " + std::to_string(option) + " was refused: " + ErrorText(error));
  });
}

FdbError fdb_database_create_transaction(FDB_database* database, FDB_transaction** transaction) noexcept {
  return Guard([&] {
    *transaction = new FDB_transaction{Transaction::Make(database->state)};
    return kSuccess;
  });
}

double fdb_database_get_main_thread_busyness(FDB_database*) noexcept { return 0.0; }

FDB_future* fdb_database_get_server_protocol(FDB_database*, uint64_t expected_version) noexcept {
  return GuardFuture([&] {
    // Who expects our protocol waits until it is another one, and so for ever.
    if (expected_version == kProtocolVersion) return Future::Make();
    return Future::MakeReady(Future::Result(static_cast<int64_t>(kProtocolVersion)));
  });
}

FDB_future* fdb_database_get_client_status(FDB_database* database) noexcept {
  return GuardFuture([&] { return Future::MakeReady(Future::KeyResult{ClientStatus(*database->state)}); });
}
