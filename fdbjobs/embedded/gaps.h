// Gaps: ranges of keys that are known to hold nothing, so that reads need not look there again.
//
// A queue is cleared at its head. For some seconds the window, and the base, still have every key that was there, and
// each read of the head would pass them all again. A read that passed many dead keys notes the range; the next begins
// behind it. A gap holds for every version from `since` on, until a key in it is set.
//
// Thread safety: none; the window guards it with its own mutex. Lifetime: owns its keys.
//
//   gaps.Note("a", "m", 100);
//   gaps.Skip("c", 101);  // "m"
//   gaps.Cut("k");        // [a, k) and what follows k are left
#ifndef FDBJOBS_EMBEDDED_GAPS_H_
#define FDBJOBS_EMBEDDED_GAPS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class Gaps {
 public:
  // [begin, end) holds nothing at version `since`, nor at any later one up to now.
  void Note(std::string_view begin, std::string_view end, Version since);
  // A key was set.
  void Cut(std::string_view key);
  // Forgets gaps that were noted last at or before `version`: the dead keys in them are gone.
  void DropUpTo(Version version);
  void Clear() { runs_.clear(); }

  // The first key from `begin` on that may hold something at version `at`. Valid until the next change.
  std::string_view Skip(std::string_view begin, Version at) const;

  // How many gaps are remembered one by one.
  size_t size() const;

 private:
  struct Gap {
    std::string end;
    Version since;
  };
  // Gaps that follow on one another, each from the end of the one before: a queue that is cleared from its head on has
  // one of them for each read that went further. Ascending by end and by since, and never empty.
  using Run = std::vector<Gap>;
  // By their begin; they don't overlap.
  using Map = absl::btree_map<std::string, Run, std::less<>>;

  static std::string_view EndOf(const Run& run) { return run.back().end; }
  // The place of the gap that `key` is in, of a run that ends behind it.
  static size_t PlaceOf(const Run& run, std::string_view key);
  static void JoinSettled(Run* run);
  void TakeInWhatFollows(Map::iterator run);

  Map runs_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_GAPS_H_
