// BareSqlite: the rows of a DataSet in a SQLite file of their own, read as fast as SQLite can.
//
// Same table, same page size, same pragmas, same queries as the embedded engine's base; prepared statements inside one
// read transaction, and the result is looked at where it lies, without a copy.
//
// Thread safety: one user at a time. Lifetime: holds the file and the read transaction open.
//
//   BareSqlite bare(folder + "/bare.sqlite", data);
//   bare.Get(key);
#ifndef FDBJOBS_TOOLS_BENCH_BARE_SQLITE_H_
#define FDBJOBS_TOOLS_BENCH_BARE_SQLITE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/bench/base_mark.h"
#include "tools/bench/data_set.h"

namespace fdbjobs::bench {

class BareSqlite {
 public:
  // Creates the file.
  BareSqlite(const std::string& path, const DataSet& data);

  // The size of the value. Throws when the key is missing.
  size_t Get(std::string_view key);
  // Reads up to `limit` rows of [begin, end). How many there were.
  uint64_t GetRange(std::string_view begin, std::string_view end, int limit);

 private:
  SqliteHandle db_;
  SqliteStatement get_;
  SqliteStatement range_;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_BARE_SQLITE_H_
