#include "tools/bench/data_set.h"

#include <algorithm>

#include "fdbjobs/fdb/transact.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

constexpr uint64_t kRowsInTransaction = 1000;

// The number as decimal digits at the end of `bytes`, where zeros stand.
void WriteDigits(uint64_t number, std::string* bytes) {
  for (size_t at = bytes->size(); number != 0; number /= 10) (*bytes)[--at] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string DataSet::Key(uint64_t row) const {
  std::string key = prefix_;
  key.resize(kKeySize, '0');
  WriteDigits(row, &key);
  return key;
}

std::string DataSet::Value(uint64_t row) {
  std::string value(kValueSize, '0');
  WriteDigits(row, &value);
  return value;
}

uint64_t DataSet::Load(const fdb::Database& database, std::chrono::duration<double> patience) const {
  const Clock::time_point start = Clock::now();
  uint64_t loaded = 0;
  while (loaded < rows_ && (loaded == 0 || SecondsSince(start) < patience.count())) {
    const uint64_t end = std::min(rows_, loaded + kRowsInTransaction);
    Require(fdb::Transact(database,
                          [&](fdb::Transaction& tr) {
                            RowKey key(*this);
                            for (uint64_t row = loaded; row < end; ++row) tr.Set(key.At(row), Value(row));
                            return absl::OkStatus();
                          }),
            "load rows");
    loaded = end;
  }
  return loaded;
}

std::string_view RowKey::At(uint64_t row) {
  // Fixed width, so that no digit of an earlier row is left.
  constexpr int kDigits = 12;
  for (int i = 1; i <= kDigits; ++i, row /= 10) bytes_[bytes_.size() - i] = static_cast<char>('0' + row % 10);
  return bytes_;
}

}  // namespace fdbjobs::bench
