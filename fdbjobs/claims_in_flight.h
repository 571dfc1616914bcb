// ClaimsInFlight: what the transactions of this process are claiming at the moment, so that they do not claim the same.
//
// Two transactions that claim the same job conflict, and one of them has done its work in vain. Claimers of one process
// can know of each other: each passes over the rows that others hold, and leaves to those that are still looking as
// many rows as they want. All of it is advice. Should it be wrong, the transactions conflict as they would without it.
//
// Thread safety: any thread; a Place one thread at a time. Lifetime: shared by Jobs and by all places.
//
//   ClaimsInFlight::Place place(in_flight, queue, &memory, limit);   // before the queue is read
//   int rows = limit + place.RowsOfOthers();
//   ...
//   const std::vector<size_t> free = place.Free(keys);
//   place.Hold(keys[free.front()], keys[free.back()]);                // until it is destroyed
#ifndef FDBJOBS_CLAIMS_IN_FLIGHT_H_
#define FDBJOBS_CLAIMS_IN_FLIGHT_H_

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace fdbjobs {

class ClaimsInFlight {
 public:
  using Clock = std::chrono::steady_clock;
  // Nothing that was read longer ago can be committed any more, so nothing is held for longer either.
  static constexpr std::chrono::seconds kLongest{5};

  explicit ClaimsInFlight(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

 private:
  struct Span {
    std::string first;
    std::string last;
  };
  // Somebody who looks, or who holds the rows of a span, both ends included.
  struct Claim {
    const void* owner;
    int wanted;
    std::optional<Span> held;
    Clock::time_point since;
  };
  using Claims = std::list<Claim>;  // in the order of coming
  static bool InTheWay(const Claim& claim, const Claim& own, Clock::time_point now) {
    return claim.owner != own.owner && now - claim.since <= kLongest;
  }

 public:
  // A claimer's place among the others. It looks until it holds.
  class Place {
   public:
    // `queue`: the same for all who look into it. `owner`: places of one owner do not stand in each other's way.
    // `wanted`: how many rows it will take at most.
    Place(std::shared_ptr<ClaimsInFlight> claims, std::string queue, const void* owner, int wanted);
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

    // How many rows others hold or want at the most.
    int RowsOfOthers() const;
    // Of `keys`, which ascend, the places of those that nobody else holds; without as many at the front as those want
    // who came before and are still looking.
    std::vector<size_t> Free(const std::vector<std::string_view>& keys) const;
    // From now on it holds these, and all between them. A second call adds to the first.
    void Hold(std::string_view first, std::string_view last);
    bool holds() const;

   private:
    std::shared_ptr<ClaimsInFlight> claims_;  // null when it was moved from
    std::string queue_;
    Claims::iterator own_;
  };

 private:
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  // A queue is there as long as somebody looks or holds. Guarded by mutex_.
  absl::flat_hash_map<std::string, Claims> queues_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_CLAIMS_IN_FLIGHT_H_
