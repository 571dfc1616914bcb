#include "fdbjobs/claims_in_flight.h"

#include <algorithm>
#include <utility>

namespace fdbjobs {

ClaimsInFlight::Place::Place(std::shared_ptr<ClaimsInFlight> claims, std::string queue, const void* owner, int wanted)
    : claims_(std::move(claims)), queue_(std::move(queue)) {
  const std::lock_guard lock(claims_->mutex_);
  Claims& of_queue = claims_->queues_[queue_];
  own_ = of_queue.insert(of_queue.end(), Claim{owner, wanted, std::nullopt, claims_->now_()});
}

ClaimsInFlight::Place::~Place() {
  if (claims_ == nullptr) return;
  const std::lock_guard lock(claims_->mutex_);
  const auto found = claims_->queues_.find(queue_);
  found->second.erase(own_);
  if (found->second.empty()) claims_->queues_.erase(found);
}

int ClaimsInFlight::Place::RowsOfOthers() const {
  const std::lock_guard lock(claims_->mutex_);
  const Clock::time_point now = claims_->now_();
  int rows = 0;
  for (const Claim& claim : claims_->queues_.find(queue_)->second) {
    if (InTheWay(claim, *own_, now)) rows += claim.wanted;
  }
  return rows;
}

std::vector<size_t> ClaimsInFlight::Place::Free(const std::vector<std::string_view>& keys) const {
  std::vector<bool> taken(keys.size());
  size_t left_to_others = 0;
  {
    const std::lock_guard lock(claims_->mutex_);
    const Clock::time_point now = claims_->now_();
    const Claims& of_queue = claims_->queues_.find(queue_)->second;
    bool came_before = true;
    for (auto claim = of_queue.begin(); claim != of_queue.end(); ++claim) {
      if (claim == own_) came_before = false;
      if (!InTheWay(*claim, *own_, now)) continue;
      if (!claim->held.has_value()) {
        if (came_before) left_to_others += static_cast<size_t>(claim->wanted);
        continue;
      }
      const auto from = std::lower_bound(keys.begin(), keys.end(), claim->held->first);
      const auto to = std::upper_bound(from, keys.end(), claim->held->last);
      std::fill(taken.begin() + (from - keys.begin()), taken.begin() + (to - keys.begin()), true);
    }
  }
  std::vector<size_t> free;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (taken[i]) continue;
    if (left_to_others > 0) {
      --left_to_others;
    } else {
      free.push_back(i);
    }
  }
  return free;
}

void ClaimsInFlight::Place::Hold(std::string_view first, std::string_view last) {
  const std::lock_guard lock(claims_->mutex_);
  if (!own_->held.has_value()) own_->held = Span{std::string(first), std::string(last)};
  if (first < own_->held->first) own_->held->first = first;
  if (last > own_->held->last) own_->held->last = last;
}

bool ClaimsInFlight::Place::holds() const {
  const std::lock_guard lock(claims_->mutex_);
  return own_->held.has_value();
}

}  // namespace fdbjobs
