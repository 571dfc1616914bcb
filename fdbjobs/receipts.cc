#include "fdbjobs/receipts.h"

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs {

struct Receipts::Slots {
  const tuple::Uuid process = RandomUuid();
  std::mutex mutex;
  std::vector<uint64_t> free;  // guarded by mutex, as what follows
  uint64_t next_slot = 0;
  uint64_t next_number = 0;
};

Receipts::Receipts(const keyspace::JobKeys& keys) : keys_(keys), slots_(std::make_shared<Slots>()) {}
Receipts::~Receipts() = default;

fdb::Receipt Receipts::Take() {
  uint64_t slot;
  uint64_t number;
  {
    const std::lock_guard lock(slots_->mutex);
    number = slots_->next_number++;
    if (slots_->free.empty()) {
      slot = slots_->next_slot++;
    } else {
      slot = slots_->free.back();
      slots_->free.pop_back();
    }
  }
  std::shared_ptr<void> owner(nullptr, [slots = slots_, slot](void*) {
    const std::lock_guard lock(slots->mutex);
    slots->free.push_back(slot);
  });
  return {.key = keys_.Receipt(slots_->process, slot),
          .token = keyspace::JobKeys::EncodeReceipt(number, absl::ToUnixMillis(absl::Now())),
          .owner = std::move(owner)};
}

}  // namespace fdbjobs
