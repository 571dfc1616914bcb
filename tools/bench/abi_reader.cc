#include "tools/bench/abi_reader.h"

#include "fdbjobs/fdb/bytes.h"
#include "fdbjobs/fdb/status.h"
#include "tools/bench/errors.h"

namespace fdbjobs::bench {

using fdb::Bytes;
using fdb::Length;

void AbiReader::AwaitValue(fdb::abi::Future* future) {
  fdb::abi::Bool present = 0;
  const uint8_t* value = nullptr;
  int length = 0;
  fdb::abi::ErrorCode error = api_.future_block_until_ready(future);
  if (error == 0) error = api_.future_get_value(future, &present, &value, &length);
  api_.future_destroy(future);
  if (error != 0) Require(fdb::StatusFromCode(api_, error, "get"), "read");
  if (present == 0) throw BenchError("a row is missing");
}

uint64_t AbiReader::GetMany(absl::FunctionRef<std::string_view()> next_key) {
  const fdb::OwnedTransaction tr = Require(database_.CreateTransaction(), "create a transaction");
  for (int done = 0; done < kGetsInTransaction; done += in_flight_) {
    futures_.clear();
    for (int i = 0; i < in_flight_; ++i) {
      const std::string_view key = next_key();
      futures_.push_back(api_.transaction_get(tr.raw(), Bytes(key), Length(key), snapshot_));
    }
    for (fdb::abi::Future* future : futures_) AwaitValue(future);
  }
  return kGetsInTransaction;
}

uint64_t AbiReader::AwaitRows(fdb::abi::Future* future) {
  const fdb::abi::KeyValue* rows = nullptr;
  int count = 0;
  fdb::abi::Bool more = 0;
  fdb::abi::ErrorCode error = api_.future_block_until_ready(future);
  if (error == 0) error = api_.future_get_keyvalue_array(future, &rows, &count, &more);
  api_.future_destroy(future);
  if (error != 0) Require(fdb::StatusFromCode(api_, error, "get_range"), "read");
  return static_cast<uint64_t>(count);
}

uint64_t AbiReader::GetRanges(absl::FunctionRef<std::string_view()> next_begin, std::string_view end, int limit) {
  const fdb::OwnedTransaction tr = Require(database_.CreateTransaction(), "create a transaction");
  uint64_t rows = 0;
  for (int i = 0; i < kRangesInTransaction; ++i) {
    const std::string_view begin = next_begin();
    // First greater or equal at both ends; as many rows as asked for, in one batch.
    rows +=
        AwaitRows(api_.transaction_get_range(tr.raw(), Bytes(begin), Length(begin), 0, 1, Bytes(end), Length(end), 0, 1,
                                             limit, 0, static_cast<int>(fdb::StreamingMode::kExact), 0, snapshot_, 0));
  }
  return rows;
}

}  // namespace fdbjobs::bench
