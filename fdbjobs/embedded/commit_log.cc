#include "fdbjobs/embedded/commit_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

namespace {

constexpr size_t kSmallestSegment = 256 << 10;
constexpr size_t kLargestSegment = 32 << 20;
constexpr size_t kSegmentsKeptOpen = 4;
constexpr size_t kCopyBytes = 1 << 20;
constexpr std::string_view kNamePrefix = "log-";

size_t RoundUp(size_t size, size_t to) { return (size + to - 1) / to * to; }

}  // namespace

ErrorCode Segment::Open(const std::string& path, std::shared_ptr<Segment>* segment, std::string* why) {
  std::shared_ptr<Segment> opened(new Segment);
  opened->path_ = path;
  opened->file_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!opened->file_.valid()) return FileError("open", path, why);
  struct stat status;
  if (fstat(opened->file_.get(), &status) != 0) return FileError("stat", path, why);
  opened->size_ = static_cast<size_t>(status.st_size);
  if (opened->size_ < kSegmentHeaderSize) {
    *why = absl::StrCat(path, " is no segment of a commit log: it has ", opened->size_, " bytes");
    return kFileCorrupt;
  }
  void* mapped = mmap(nullptr, opened->size_, PROT_READ, MAP_SHARED, opened->file_.get(), 0);
  if (mapped == MAP_FAILED) return FileError("map", path, why);
  opened->mapped_ = static_cast<const char*>(mapped);
  if (!SegmentHeader::Decode(opened->bytes(), &opened->header_)) {
    *why = absl::StrCat(path, " is no segment of a commit log: its header is damaged");
    return kFileCorrupt;
  }
  *segment = std::move(opened);
  return 0;
}

Segment::~Segment() {
  if (mapped_ != nullptr) munmap(const_cast<char*>(mapped_), size_);
}

ErrorCode Segment::Write(std::string_view bytes, uint32_t offset, std::string* why) const {
  return WriteFully(file_.get(), bytes, offset, path_, why);
}

ErrorCode Segment::Sync(std::string* why) const {
  if (fdatasync(file_.get()) != 0) return FileError("sync", path_, why);
  return 0;
}

ErrorCode Segment::Rewrite(const SegmentHeader& header, std::string* why) const {
  if (ErrorCode error = WriteFully(file_.get(), header.Encode(), 0, path_, why)) return error;
  return Sync(why);
}

ErrorCode Segment::WriteAgain(size_t begin, size_t end, std::string* why) const {
  // In copies, since a file should not be written from its own mapping.
  for (size_t at = begin; at < end; at += kCopyBytes) {
    const std::string piece(bytes().substr(at, std::min(kCopyBytes, end - at)));
    if (ErrorCode error = WriteFully(file_.get(), piece, at, path_, why)) return error;
  }
  return 0;
}

void CommitLog::DropSpare() {
  MutexLock lock(&spare_mutex_);
  if (spare_size_ > 0) unlink(Path(spare_).c_str());
  spare_size_ = 0;
}

std::string CommitLog::FileName(uint32_t number) { return absl::StrFormat("log-%08x", number); }

bool CommitLog::ParseFileName(std::string_view name, uint32_t* number) {
  constexpr size_t kDigits = 8;
  if (name.size() != kNamePrefix.size() + kDigits || name.substr(0, kNamePrefix.size()) != kNamePrefix) return false;
  const std::string_view digits = name.substr(kNamePrefix.size());
  return std::from_chars(digits.data(), digits.data() + kDigits, *number, 16).ptr == digits.data() + kDigits;
}

ErrorCode CommitLog::Find(uint32_t number, std::shared_ptr<Segment>* segment, std::string* why) {
  {
    MutexLock lock(&mutex_);
    if (auto found = open_.find(number); found != open_.end()) {
      *segment = found->second;
      return 0;
    }
  }
  if (ErrorCode error = Segment::Open(Path(FileName(number)), segment, why)) return error;
  MutexLock lock(&mutex_);
  open_.emplace(number, *segment);
  if (number >= last_number_) {
    last_number_ = number;
    last_size_ = (*segment)->size();
  }
  if (open_.size() > kSegmentsKeptOpen) open_.erase(open_.begin());
  return 0;
}

ErrorCode CommitLog::FillFile(const std::string& path, size_t size, std::string* why) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return FileError("create", path, why);
  const std::string zeros(std::min<size_t>(size, 1 << 20), '\0');
  for (size_t at = 0; at < size; at += zeros.size()) {
    const std::string_view piece = std::string_view(zeros).substr(0, size - at);
    ErrorCode error = WriteFully(file.get(), piece, at, path, why);
    if (error == 0 && fdatasync(file.get()) != 0) error = FileError("sync", path, why);
    if (error != 0) {
      unlink(path.c_str());
      return error;
    }
  }
  return 0;
}

ErrorCode CommitLog::PrepareSpare(std::string* why) {
  size_t wanted;
  {
    MutexLock lock(&mutex_);
    wanted = std::clamp(last_size_ * 2, kSmallestSegment, kLargestSegment);
  }
  {
    MutexLock lock(&spare_mutex_);
    if (spare_size_ >= wanted) return 0;
  }
  const std::string next = Path(next_spare_);
  MutexLock preparing(&preparing_mutex_);
  if (ErrorCode error = FillFile(next, wanted, why)) return error;
  MutexLock lock(&spare_mutex_);
  if (rename(next.c_str(), Path(spare_).c_str()) != 0) return FileError("name", next, why);
  spare_size_ = wanted;
  return 0;
}

ErrorCode CommitLog::FillSpare(size_t needed, std::string* why) {
  MutexLock lock(&spare_mutex_);
  if (spare_size_ >= needed) return 0;
  spare_size_ = 0;
  if (ErrorCode error = FillFile(Path(spare_), needed, why)) return error;
  spare_size_ = needed;
  return 0;
}

ErrorCode CommitLog::HaveSpare(size_t needed, std::string* why) {
  if (FillSpare(needed, why) == 0) return 0;
  // A larger one that is being prepared may hold the last room of the disk. When it is ready, it serves; when it did
  // not fit either, its room is free again.
  MutexLock preparing(&preparing_mutex_);
  return FillSpare(needed, why);
}

ErrorCode CommitLog::NameSpare(const SegmentHeader& header, bool* named, std::string* why) {
  const std::string path = Path(FileName(header.number));
  const std::string spare = Path(spare_);
  FileDescriptor file(open(spare.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return FileError("open", spare, why);
  // Opened before the name is given: once it has its name, as little as possible may fail.
  FileDescriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return FileError("open", folder_, why);
  if (ErrorCode error = WriteFully(file.get(), header.Encode(), 0, spare, why)) return error;
  if (fdatasync(file.get()) != 0) return FileError("sync", spare, why);
  *named = renameat2(AT_FDCWD, spare.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
  if (!*named && errno != EEXIST) return FileError("name", path, why);
  if (*named) spare_size_ = 0;
  if (fsync(folder.get()) != 0) return FileError("sync", folder_, why);
  return 0;
}

ErrorCode CommitLog::Create(const SegmentHeader& header, size_t room, std::shared_ptr<Segment>* segment,
                            std::string* why) {
  const std::string path = Path(FileName(header.number));
  const size_t needed = RoundUp(std::max(room + kSegmentHeaderSize, kSmallestSegment), 4096);
  if (ErrorCode error = HaveSpare(needed, why)) return error;
  MutexLock lock(&spare_mutex_);
  bool named = false;
  if (ErrorCode error = NameSpare(header, &named, why)) return error;
  if (ErrorCode error = Find(header.number, segment, why)) return error;
  if ((*segment)->header().previous_version < header.previous_version) {
    // Not removed by its name: if this process has lost the lock meanwhile, the name may be that of the last segment.
    // Then this is the header that it has.
    if (ErrorCode error = (*segment)->Rewrite(header, why)) return error;
    Forget(header.number);
    if (ErrorCode error = Find(header.number, segment, why)) return error;
  }
  if ((*segment)->header() == header) return 0;
  *why = absl::StrCat(path, named ? " does not read as it was written" : " continues a later place of the log");
  return kFileCorrupt;
}

void CommitLog::Forget(uint32_t number) {
  MutexLock lock(&mutex_);
  open_.erase(number);
}

ErrorCode CommitLog::List(std::vector<uint32_t>* numbers, std::string* why) {
  std::vector<std::string> names;
  if (ErrorCode error = ListFolder(folder_, &names, why)) return error;
  numbers->clear();
  for (const std::string& name : names) {
    uint32_t number;
    if (ParseFileName(name, &number)) numbers->push_back(number);
  }
  std::sort(numbers->begin(), numbers->end());
  return 0;
}

void CommitLog::DropBefore(uint32_t number) {
  std::vector<uint32_t> numbers;
  std::string why;
  if (List(&numbers, &why) != 0) return;
  for (uint32_t old : numbers) {
    if (old < number) unlink(Path(FileName(old)).c_str());
  }
  // Closing a file that was removed takes some milliseconds, so after the lock.
  std::vector<std::shared_ptr<Segment>> dropped;
  MutexLock lock(&mutex_);
  while (!open_.empty() && open_.begin()->first < number) {
    dropped.push_back(std::move(open_.begin()->second));
    open_.erase(open_.begin());
  }
}

void CommitLog::DropSpares(bool all) {
  std::vector<std::string> names;
  std::string why;
  if (ListFolder(folder_, &names, &why) != 0) return;
  for (const std::string& name : names) {
    if (all ? name.starts_with("spare-") : name == spare_ || name == next_spare_) unlink(Path(name).c_str());
  }
}

uint64_t CommitLog::BytesBetween(LogPosition from, LogPosition to) {
  uint64_t bytes = 0;
  while (from.segment < to.segment) {
    std::shared_ptr<Segment> next;
    std::string why;
    const uint32_t number = from.segment + 1;
    if (Find(number, &next, &why) == 0) bytes += next->header().previous_end - from.offset;
    from = {number, static_cast<uint32_t>(kSegmentHeaderSize)};
  }
  return from < to ? bytes + to.offset - from.offset : bytes;
}

void CommitLog::DropFrom(uint32_t number) {
  std::vector<uint32_t> numbers;
  std::string why;
  if (List(&numbers, &why) != 0) return;
  for (uint32_t later : numbers) {
    if (later >= number) unlink(Path(FileName(later)).c_str());
  }
  MutexLock lock(&mutex_);
  open_.erase(open_.lower_bound(number), open_.end());
}

void LogCursor::Place(LogPosition position, uint64_t hash, Version version) {
  position_ = position;
  hash_ = hash;
  version_ = version;
  trusted_begin_ = trusted_end_ = {};
  segment_ = nullptr;
  next_ = nullptr;
}

LogCursor::Outcome LogCursor::Load() {
  if (segment_ != nullptr && segment_->header().number == position_.segment) return Outcome::kRecord;
  const ErrorCode error = log_->Find(position_.segment, &segment_, &why_);
  if (error == 0) return Outcome::kRecord;
  return error == kFileNotFound ? Outcome::kGone : Outcome::kDamaged;
}

LogCursor::Outcome LogCursor::Parse(uint32_t limit, RecordView* record) {
  const std::string_view bytes = segment_->bytes().substr(0, limit).substr(position_.offset);
  if (trusted_begin_ <= position_ && position_ < trusted_end_) {
    *record = OwnRecord(bytes);
  } else if (!ParseRecord(bytes, hash_, version_, record)) {
    return Outcome::kDamaged;
  }
  position_.offset += static_cast<uint32_t>(record->total_size);
  hash_ = record->hash;
  version_ = record->version;
  return Outcome::kRecord;
}

LogCursor::Outcome LogCursor::Next(LogPosition tail, RecordView* record) {
  for (;;) {
    if (position_ >= tail) return Outcome::kEnd;
    if (Outcome loaded = Load(); loaded != Outcome::kRecord) return loaded;
    uint32_t limit = tail.offset;
    if (position_.segment < tail.segment) {
      const ErrorCode error = LoadNext();
      if (error != 0) return error == kFileNotFound ? Outcome::kGone : Outcome::kDamaged;
      limit = next_->header().previous_end;
    }
    if (position_.offset < limit) {
      const Outcome outcome = Parse(limit, record);
      if (outcome == Outcome::kDamaged) {
        why_ = absl::StrCat(CommitLog::FileName(position_.segment), " is damaged at byte ", position_.offset);
      }
      return outcome;
    }
    position_ = {position_.segment + 1, static_cast<uint32_t>(kSegmentHeaderSize)};
    segment_ = std::move(next_);
  }
}

ErrorCode LogCursor::LoadNext() {
  if (next_ != nullptr && next_->header().number == position_.segment + 1) return 0;
  return log_->Find(position_.segment + 1, &next_, &why_);
}

bool LogCursor::NextSegmentStartsHere() {
  if (LoadNext() != 0) return false;
  const SegmentHeader& header = next_->header();
  return header.previous_end == position_.offset && header.previous_hash == hash_;
}

// A segment that was made and never used may start in the midst of this one, when the log went on here after all.
bool LogCursor::NextSegmentGoesOn() {
  if (!NextSegmentStartsHere()) return false;
  RecordView record;
  if (ParseRecord(next_->bytes().substr(kSegmentHeaderSize), hash_, version_, &record)) return true;
  // One that was used may be empty all the same, when the log moved on again before anything was written to it.
  std::shared_ptr<Segment> after;
  std::string none;
  if (log_->Find(position_.segment + 2, &after, &none) == 0 && after->header().previous_end == kSegmentHeaderSize &&
      after->header().previous_hash == hash_) {
    return true;
  }
  return !ParseRecord(segment_->bytes().substr(position_.offset), hash_, version_, &record);
}

LogCursor::Outcome LogCursor::NextUnbounded(RecordView* record) {
  if (Outcome loaded = Load(); loaded != Outcome::kRecord) return loaded;
  while (NextSegmentGoesOn()) {
    position_ = {position_.segment + 1, static_cast<uint32_t>(kSegmentHeaderSize)};
    if (Outcome loaded = Load(); loaded != Outcome::kRecord) return loaded;
  }
  const Outcome outcome = Parse(static_cast<uint32_t>(segment_->size()), record);
  return outcome == Outcome::kDamaged ? Outcome::kEnd : outcome;
}

}  // namespace fdbjobs::embedded
