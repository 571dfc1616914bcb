#include "tools/bench/engine_bench.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transact.h"
#include "tools/bench/base_mark.h"
#include "tools/bench/errors.h"

namespace fdbjobs::bench {
namespace {

constexpr char kScratch[] = "fdbjobs-bench.scratch";
// Fewer commits than this are folded in the time of a blink.
constexpr uint64_t kFewCommits = 10'000;

std::string UniquePrefix() {
  std::random_device random;
  return absl::StrCat("fdbjobs-bench/", absl::Hex(random(), absl::kZeroPad8), "/");
}

// Commits something and tells at which version.
int64_t CommitNow(const fdb::Database& database, const std::string& key) {
  fdb::OwnedTransaction tr = Require(database.CreateTransaction(), "create a transaction");
  tr.Set(key, "");
  Require(tr.Commit().Await(), "commit");
  return Require(tr.GetCommittedVersion(), "committed version");
}

}  // namespace

RemovedAtEnd::~RemovedAtEnd() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

EngineBench::EngineBench(EngineSettings settings)
    : settings_(std::move(settings)), prefix_(UniquePrefix()), data_(prefix_ + "data/", settings_.rows) {
  if (settings_.database.empty()) MakeFolder();
  name_ = Require(fdb::DatabaseName::Parse(settings_.database), "database");
  // Makes the folder the engine's, if it is new: after that it may hold other files too.
  const fdb::Database database = Open();
  if (!embedded()) return;
  scratch_.emplace(ScratchPath(""));
  std::filesystem::create_directories(scratch_->path);
}

EngineBench::~EngineBench() {
  if (own_folder_) return;
  const absl::StatusOr<fdb::Database> database = fdb::Database::Open(database_name());
  absl::Status status = database.status();
  if (status.ok()) {
    status = fdb::Transact(*database, [this](fdb::Transaction& tr) {
      tr.ClearRange(prefix_, prefix_ + '\xff');
      return absl::OkStatus();
    });
  }
  if (!status.ok()) std::fprintf(stderr, "rows are left below %s: %s\n", prefix_.c_str(), status.ToString().c_str());
}

void EngineBench::MakeFolder() {
  std::string folder = (std::filesystem::temp_directory_path() / "fdbjobs-bench-XXXXXX").string();
  RequireSystem(mkdtemp(folder.data()) != nullptr, absl::StrCat("make the folder ", folder));
  own_folder_.emplace(folder);
  settings_.database = "embedded:" + folder;
}

std::string EngineBench::ScratchPath(std::string_view file) const {
  return (std::filesystem::path(name_.path) / kScratch / file).string();
}

fdb::Database EngineBench::Open() const { return Require(fdb::Database::Open(database_name()), "open the database"); }

fdb::Database EngineBench::OpenLoaded() {
  fdb::Database database = Open();
  if (!std::exchange(loaded_, true)) {
    data_.Load(database);
    NoteCommits(data_.rows());
  }
  if (unsettled_commits_ > kFewCommits) Settle(database);
  return database;
}

void EngineBench::Settle(const fdb::Database& database) {
  if (!embedded()) return;
  const int64_t version = CommitNow(database, prefix_ + "settle");
  BaseMark(folder()).AwaitVersion(version);
  unsettled_commits_ = 0;
}

}  // namespace fdbjobs::bench
