#include "fdbjobs/claims_in_flight.h"

#include <algorithm>
#include <utility>

namespace fdbjobs {
namespace {

// Of one claim. Who comes later passes over each of them by a read of its own.
constexpr size_t kMostSpans = 4;

}  // namespace

ClaimsInFlight::Place::Place(std::shared_ptr<ClaimsInFlight> claims, std::string queue, const void* owner, int wanted)
    : claims_(std::move(claims)), queue_(std::move(queue)) {
  const std::lock_guard lock(claims_->mutex_);
  Claims& of_queue = claims_->queues_[queue_];
  own_ = of_queue.insert(of_queue.end(), Claim{owner, wanted, {}, claims_->now_()});
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
  claims_->ForOthers(
      queue_, own_, [&](const Claim& claim, bool) { spans.insert(spans.end(), claim.held.begin(), claim.held.end()); });
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
    if (came_before && claim.held.empty()) wanted += claim.wanted;
  });
  return wanted;
}

std::vector<size_t> ClaimsInFlight::Place::Free(const std::vector<std::string_view>& keys) const {
  std::vector<bool> taken(keys.size());
  size_t left_to_others = 0;
  claims_->ForOthers(queue_, own_, [&](const Claim& claim, bool came_before) {
    if (claim.held.empty() && came_before) left_to_others += static_cast<size_t>(claim.wanted);
    for (const Span& span : claim.held) {
      const auto from = std::lower_bound(keys.begin(), keys.end(), span.begin);
      const auto to = std::upper_bound(from, keys.end(), span.last);
      std::fill(taken.begin() + (from - keys.begin()), taken.begin() + (to - keys.begin()), true);
    }
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
  if (own_->held.size() < kMostSpans) return own_->held.push_back(std::move(span));
  Span& widened = own_->held.back();
  widened.begin = std::min(std::move(span.begin), widened.begin);
  widened.last = std::max(std::move(span.last), widened.last);
}

bool ClaimsInFlight::Place::holds() const {
  const std::lock_guard lock(claims_->mutex_);
  return !own_->held.empty();
}

}  // namespace fdbjobs
