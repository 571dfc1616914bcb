// ClaimsInFlight: what the transactions of this process are claiming at the moment, so that they do not claim the same.
//
// Two transactions that claim the same job conflict, and one of them has done its work in vain. Claimers of one process
// can know of each other: each passes over the parts of the queue that others hold, and leaves to those that are still
// looking as many rows as they want. All of it is advice. Should it be wrong, the transactions conflict as they would
// without it.
//
// Thread safety: any thread; a Place one thread at a time. Lifetime: shared by Jobs and by all places.
//
//   ClaimsInFlight::Place place(in_flight, queue, &memory, limit);   // before the queue is read
//   const std::vector<ClaimsInFlight::Span> left_out = place.HeldByOthers();
//   int rows = limit + place.WantedBefore();
//   ...
//   const std::vector<size_t> free = place.Free(keys);
//   place.Hold({std::string(keys[free.front()]), std::string(keys[free.back()])});  // until it is destroyed
#ifndef FDBJOBS_CLAIMS_IN_FLIGHT_H_
#define FDBJOBS_CLAIMS_IN_FLIGHT_H_

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
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

  // A part of the queue, both ends included. It begins behind the row before its first one, if that is of the same
  // priority, so that spans of neighbours have nothing between them.
  struct Span {
    std::string begin;
    std::string last;

    friend bool operator==(const Span&, const Span&) = default;
  };

 private:
  // Somebody who looks, or who holds a span.
  struct Claim {
    const void* owner;
    int wanted;
    std::vector<Span> held;  // empty: still looking
    Clock::time_point since;
  };
  using Claims = std::list<Claim>;  // in the order of coming
  // Calls `visit(claim, came_before)` for all that are in the way of `own`, in the order of coming.
  template <typename Visit>
  void ForOthers(const std::string& queue, Claims::const_iterator own, Visit visit) const;

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

    // What others hold: ascending, with something between each two.
    std::vector<Span> HeldByOthers() const;
    // How many rows those want who came before and are still looking.
    int WantedBefore() const;
    // Of `keys`, which ascend, the places of those that nobody else holds; without as many at the front as
    // WantedBefore.
    std::vector<size_t> Free(const std::vector<std::string_view>& keys) const;
    // From now on it holds the span. Further calls add to it, and beyond a few spans all that is between.
    void Hold(Span span);
    bool holds() const;

   private:
    std::shared_ptr<ClaimsInFlight> claims_;  // null when it was moved from
    std::string queue_;
    Claims::iterator own_;
  };

 private:
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  // A queue is there as long as somebody looks or holds. Guarded by mutex_.
  absl::flat_hash_map<std::string, Claims> queues_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_CLAIMS_IN_FLIGHT_H_
