#include "fdbjobs/embedded/batch_writes.h"

#include <xxhash.h>

#include "fdbjobs/embedded/log_record.h"

namespace fdbjobs::embedded {
namespace {

uint64_t HashOf(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

// Calls `visit` for each entry that counts as written, from `*from` on, which moves to the end.
template <typename Visit>
void ForEachWrite(std::string_view records, size_t* from, Visit visit) {
  while (*from < records.size()) {
    const RecordView record = OwnRecord(records.substr(*from));
    record.ForEach([&](const EntryView& entry) {
      if (entry.conflicts) visit(entry);
    });
    *from += record.total_size;
  }
}

bool IsOneKey(const EntryView& entry) { return entry.kind == EntryKind::kSet || entry.kind == EntryKind::kClear; }

// One version serves for all: they are later than any read.
constexpr Version kWritten = 1;

}  // namespace

void BatchWrites::IndexKeys(std::string_view records) {
  ForEachWrite(records, &keys_upto_, [this](const EntryView& entry) {
    if (IsOneKey(entry)) {
      keys_.insert(HashOf(entry.key));
    } else {
      wide_.Add(entry.key, entry.value, kWritten);
    }
  });
}

void BatchWrites::IndexRanges(std::string_view records) {
  ForEachWrite(records, &ranges_upto_, [this](const EntryView& entry) {
    if (IsOneKey(entry)) {
      ranges_.Add(entry.key, KeyAfter(entry.key), kWritten);
    } else {
      ranges_.Add(entry.key, entry.value, kWritten);
    }
  });
}

bool BatchWrites::Touch(const RangeSet& reads, std::string_view records) {
  if (records.empty()) return false;
  return reads.AnyOf([&](std::string_view begin, std::string_view end, bool one_key) {
    if (one_key) {
      IndexKeys(records);
      return keys_.contains(HashOf(begin)) || wide_.AnyAfter(begin, end, 0);
    }
    IndexRanges(records);
    return ranges_.AnyAfter(begin, end, 0);
  });
}

}  // namespace fdbjobs::embedded
