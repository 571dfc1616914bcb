#include "tests/support/test_database.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transact.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::test {
namespace {

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "test database: %s\n", status.ToString().c_str());
  std::abort();
}

// Closed and removed by the environment below, before static objects go.
struct Opened {
  std::unique_ptr<TempFolder> folder;
  std::string name;
  std::optional<fdb::Database> database;
};

std::unique_ptr<Opened>& TheOpened() {
  static auto* const opened = new std::unique_ptr<Opened>;
  return *opened;
}

// A test may ask for it first from threads of its own.
Opened& Get() {
  static std::mutex* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<Opened>& opened = TheOpened();
  if (opened != nullptr) return *opened;
  opened = std::make_unique<Opened>();
  if (const char* given = std::getenv("FDBJOBS_TEST_DB"); given != nullptr && *given != '\0') {
    opened->name = given;
  } else {
    opened->folder = std::make_unique<TempFolder>();
    opened->name = "embedded:" + opened->folder->path();
  }
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(opened->name);
  if (!database.ok()) Die(database.status());
  opened->database.emplace(*std::move(database));
  return *opened;
}

class CloseAtEnd : public ::testing::Environment {
 public:
  void TearDown() override {
    if (TheOpened() == nullptr) return;
    TheOpened()->database.reset();
    TheOpened().reset();
  }
};

[[maybe_unused]] ::testing::Environment* const close_at_end = ::testing::AddGlobalTestEnvironment(new CloseAtEnd);

std::string UniquePrefix() {
  static std::atomic<int> count = 0;
  std::random_device device;
  const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  return absl::StrCat("fdbjobs-test/", absl::Hex(device(), absl::kZeroPad8), "-", getpid(), "-", count++, "/",
                      test->test_suite_name(), ".", test->name(), "/");
}

}  // namespace

fdb::Database& TestDatabase() { return *Get().database; }
std::string TestDatabaseName() { return Get().name; }
bool IsEmbedded() { return TestDatabase().client().is_embedded(); }

DatabaseTest::DatabaseTest() : prefix_(UniquePrefix()) {}

DatabaseTest::~DatabaseTest() {
  Commit([this](fdb::Transaction& tr) { tr.ClearRange(prefix_, PrefixEnd()); });
}

std::string DatabaseTest::PrefixEnd() const {
  // The prefix ends with '/', so counting up its last byte gives the first key behind all that begin with it.
  std::string end = prefix_;
  ++end.back();
  return end;
}

fdb::OwnedTransaction DatabaseTest::Begin() {
  absl::StatusOr<fdb::OwnedTransaction> tr = db().CreateTransaction();
  if (!tr.ok()) Die(tr.status());
  return *std::move(tr);
}

void DatabaseTest::Commit(const std::function<void(fdb::Transaction&)>& body) {
  const absl::Status status = fdb::Transact(db(), [&body](fdb::Transaction& tr) {
    body(tr);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

void DatabaseTest::Put(std::string_view suffix, std::string_view value) {
  Commit([&](fdb::Transaction& tr) { tr.Set(Key(suffix), value); });
}

std::optional<std::string> DatabaseTest::Read(std::string_view suffix) {
  const absl::StatusOr<std::optional<std::string>> value = fdb::Transact(
      db(), [&](fdb::Transaction& tr) { return tr.Get(Key(suffix), fdb::Isolation::kSerializable).Await(); });
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : std::nullopt;
}

}  // namespace fdbjobs::test
