// DataSet: the rows that all parts work on. Keys of 60 bytes and values of 150 bytes, numbered from 0, in key order.
//
// Thread safety: constant after its making; a RowKey has one user. Lifetime: owns its prefix.
//
//   DataSet data("bench/1/", 200'000);
//   data.Load(database);
//   RowKey key(data);
//   tr.Set(key.At(17), data.Value(17));
#ifndef FDBJOBS_TOOLS_BENCH_DATA_SET_H_
#define FDBJOBS_TOOLS_BENCH_DATA_SET_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fdbjobs/fdb/database.h"

namespace fdbjobs::bench {

class DataSet {
 public:
  static constexpr size_t kKeySize = 60;
  static constexpr size_t kValueSize = 150;

  DataSet(std::string prefix, uint64_t rows) : prefix_(std::move(prefix)), rows_(rows) {}

  const std::string& prefix() const { return prefix_; }
  uint64_t rows() const { return rows_; }
  // Behind all keys that begin with the prefix.
  std::string End() const { return prefix_ + '\xff'; }
  std::string Key(uint64_t row) const;
  static std::string Value(uint64_t row);

  // Writes all rows, a thousand in a transaction, or as many as `patience` allows. How many there are now.
  uint64_t Load(const fdb::Database& database, std::chrono::duration<double> patience = std::chrono::hours(24)) const;

 private:
  std::string prefix_;
  uint64_t rows_;
};

// Makes keys fast, one at a time, in the same memory.
class RowKey {
 public:
  explicit RowKey(const DataSet& data) : bytes_(data.Key(0)) {}

  // Valid until the next call.
  std::string_view At(uint64_t row);

 private:
  std::string bytes_;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_DATA_SET_H_
