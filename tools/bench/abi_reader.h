// AbiReader: reads through the fdb_c functions themselves, with nothing between, as a binding would.
//
// A transaction serves a thousand point reads or ten range reads, then comes a new one: it must not get older than five
// seconds. On a cluster many reads are under way at once; the embedded engine answers each at once.
//
// Thread safety: one user at a time. Lifetime: borrows the database.
//
//   AbiReader reader(database, /*snapshot=*/false, /*in_flight=*/1);
//   uint64_t reads = reader.GetMany([&] { return key.At(rows(random)); });
#ifndef FDBJOBS_TOOLS_BENCH_ABI_READER_H_
#define FDBJOBS_TOOLS_BENCH_ABI_READER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "fdbjobs/fdb/database.h"

namespace fdbjobs::bench {

class AbiReader {
 public:
  AbiReader(const fdb::Database& database, bool snapshot, int in_flight)
      : database_(database), api_(database.client().api()), snapshot_(snapshot ? 1 : 0), in_flight_(in_flight) {}

  static constexpr int kGetsInTransaction = 1000;
  static constexpr int kRangesInTransaction = 10;

  // One transaction of point reads, of the keys that `next_key` gives, all of which must be there. How many.
  uint64_t GetMany(absl::FunctionRef<std::string_view()> next_key);
  // One transaction of range reads of up to `limit` rows each, from the keys that `next_begin` gives. How many rows.
  uint64_t GetRanges(absl::FunctionRef<std::string_view()> next_begin, std::string_view end, int limit);

 private:
  void AwaitValue(fdb::abi::Future* future);
  uint64_t AwaitRows(fdb::abi::Future* future);

  const fdb::Database& database_;
  const fdb::abi::Api& api_;
  const fdb::abi::Bool snapshot_;
  const int in_flight_;
  std::vector<fdb::abi::Future*> futures_;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ABI_READER_H_
