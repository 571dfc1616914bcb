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

template <typename Visit>
void ClaimsInFlight::ForOthers(const std::string& queue, Claims::const_iterator own, Visit visit) const {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  const Claims& of_queue = queues_.find(queue)->second;
  bool came_before = true;
  for (auto claim = of_queue.begin(); claim != of_queue.end(); ++claim) {
    if (claim == own) came_before = false;
    if (claim->owner != own->owner && now - claim->since <= kLongest) visit(*claim, came_before);
  }
}

std::vector<ClaimsInFlight::Span> ClaimsInFlight::Place::HeldByOthers() const {
  std::vector<Span> spans;
  claims_->ForOthers(queue_, own_, [&](const Claim& claim, bool) {
    if (claim.held.has_value()) spans.push_back(*claim.held);
  });
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> apart;
  for (Span& span : spans) {
    if (!apart.empty() && span.begin <= apart.back().last + '\0') {
      apart.back().last = std::max(apart.back().last, span.last);
    } else {
      apart.push_back(std::move(span));
    }
  }
  return apart;
}

int ClaimsInFlight::Place::WantedBefore() const {
  int wanted = 0;
  claims_->ForOthers(queue_, own_, [&](const Claim& claim, bool came_before) {
    if (came_before && !claim.held.has_value()) wanted += claim.wanted;
  });
  return wanted;
}

std::vector<size_t> ClaimsInFlight::Place::Free(const std::vector<std::string_view>& keys) const {
  std::vector<bool> taken(keys.size());
  size_t left_to_others = 0;
  claims_->ForOthers(queue_, own_, [&](const Claim& claim, bool came_before) {
    if (!claim.held.has_value()) {
      if (came_before) left_to_others += static_cast<size_t>(claim.wanted);
      return;
    }
    const auto from = std::lower_bound(keys.begin(), keys.end(), claim.held->begin);
    const auto to = std::upper_bound(from, keys.end(), claim.held->last);
    std::fill(taken.begin() + (from - keys.begin()), taken.begin() + (to - keys.begin()), true);
  });
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

void ClaimsInFlight::Place::Hold(Span span) {
  const std::lock_guard lock(claims_->mutex_);
  if (own_->held.has_value()) {
    span.begin = std::min(span.begin, own_->held->begin);
    span.last = std::max(span.last, own_->held->last);
  }
  own_->held = std::move(span);
}

bool ClaimsInFlight::Place::holds() const {
  const std::lock_guard lock(claims_->mutex_);
  return own_->held.has_value();
}

}  // namespace fdbjobs
