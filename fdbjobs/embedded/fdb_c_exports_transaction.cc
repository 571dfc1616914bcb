#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

void fdb_transaction_destroy(FDB_transaction* transaction) noexcept {
  transaction->impl->Destroy();
  delete transaction;
}

void fdb_transaction_cancel(FDB_transaction* transaction) noexcept { transaction->impl->Cancel(); }

void fdb_transaction_reset(FDB_transaction* transaction) noexcept { transaction->impl->Reset(); }

FdbError fdb_transaction_set_option(FDB_transaction* transaction, int option, FdbBytes value,
                                    int value_length) noexcept {
  return Guard([&] {
    const ErrorCode error = transaction->impl->SetOption(option, OptionValueView(value, value_length));
    if (error == kSuccess) return kSuccess;
    return Fail(error, "transaction option " + std::to_string(option) + " was refused: " + ErrorText(error));
  });
}

void fdb_transaction_set_read_version(FDB_transaction* transaction, int64_t version) noexcept {
  transaction->impl->SetReadVersion(version);
}

FDB_future* fdb_transaction_get_read_version(FDB_transaction* transaction) noexcept {
  return GuardFuture([&] { return transaction->impl->GetReadVersion(); });
}

FDB_future* fdb_transaction_get(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBool snapshot) noexcept {
  return GuardFuture([&] { return transaction->impl->Get(View(key, key_length), snapshot != 0); });
}

FDB_future* fdb_transaction_get_key(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBool or_equal,
                                    int offset, FdbBool snapshot) noexcept {
  return GuardFuture([&] {
    return transaction->impl->GetKey({View(key, key_length), or_equal != 0, offset}, snapshot != 0);
  });
}

FDB_future* fdb_transaction_get_addresses_for_key(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept {
  return GuardFuture([&] { return transaction->impl->GetAddressesForKey(View(key, key_length)); });
}

FDB_future* fdb_transaction_get_range(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                      FdbBool begin_or_equal, int begin_offset, FdbBytes end, int end_length,
                                      FdbBool end_or_equal, int end_offset, int limit, int target_bytes, int mode,
                                      int iteration, FdbBool snapshot, FdbBool reverse) noexcept {
  return GuardFuture([&] {
    return transaction->impl->GetRange({
        .begin = {View(begin, begin_length), begin_or_equal != 0, begin_offset},
        .end = {View(end, end_length), end_or_equal != 0, end_offset},
        .limit = limit,
        .target_bytes = target_bytes,
        .mode = mode,
        .iteration = iteration,
        .snapshot = snapshot != 0,
        .reverse = reverse != 0,
    });
  });
}

void fdb_transaction_set(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBytes value,
                         int value_length) noexcept {
  transaction->impl->Set(View(key, key_length), View(value, value_length));
}

void fdb_transaction_atomic_op(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBytes operand,
                               int operand_length, int type) noexcept {
  transaction->impl->AtomicOp(View(key, key_length), View(operand, operand_length), type);
}

void fdb_transaction_clear(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept {
  transaction->impl->Clear(View(key, key_length));
}

void fdb_transaction_clear_range(FDB_transaction* transaction, FdbBytes begin, int begin_length, FdbBytes end,
                                 int end_length) noexcept {
  transaction->impl->ClearRange(View(begin, begin_length), View(end, end_length));
}

FDB_future* fdb_transaction_watch(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept {
  return GuardFuture([&] { return transaction->impl->Watch(View(key, key_length)); });
}

FDB_future* fdb_transaction_commit(FDB_transaction* transaction) noexcept {
  return GuardFuture([&] { return transaction->impl->Commit(); });
}

FdbError fdb_transaction_get_committed_version(FDB_transaction* transaction, int64_t* version) noexcept {
  return Guard([&] { return transaction->impl->GetCommittedVersion(version); });
}

FDB_future* fdb_transaction_get_versionstamp(FDB_transaction* transaction) noexcept {
  return GuardFuture([&] { return transaction->impl->GetVersionstamp(); });
}

FDB_future* fdb_transaction_get_approximate_size(FDB_transaction* transaction) noexcept {
  return GuardFuture([&] { return transaction->impl->GetApproximateSize(); });
}

// Nothing is throttled here.
FDB_future* fdb_transaction_get_tag_throttled_duration(FDB_transaction*) noexcept {
  return GuardFuture([] { return Future::MakeReady(Future::Result(0.0)); });
}

// Nothing is charged to a quota here.
FDB_future* fdb_transaction_get_total_cost(FDB_transaction*) noexcept {
  return GuardFuture([] { return Future::MakeReady(Future::Result(int64_t{0})); });
}

FDB_future* fdb_transaction_on_error(FDB_transaction* transaction, FdbError error) noexcept {
  return GuardFuture([&] { return transaction->impl->OnError(error); });
}

FdbError fdb_transaction_add_conflict_range(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                            FdbBytes end, int end_length, int type) noexcept {
  return Guard(
      [&] { return transaction->impl->AddConflictRange(View(begin, begin_length), View(end, end_length), type); });
}

FDB_future* fdb_transaction_get_estimated_range_size_bytes(FDB_transaction* transaction, FdbBytes begin,
                                                           int begin_length, FdbBytes end, int end_length) noexcept {
  return GuardFuture(
      [&] { return transaction->impl->GetEstimatedRangeSizeBytes(View(begin, begin_length), View(end, end_length)); });
}

FDB_future* fdb_transaction_get_range_split_points(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                                   FdbBytes end, int end_length, int64_t chunk_bytes) noexcept {
  return GuardFuture([&] {
    return transaction->impl->GetRangeSplitPoints(View(begin, begin_length), View(end, end_length), chunk_bytes);
  });
}
