// The model: what a transaction's operations do to a std::map, and what its reads must find there.
//
// Written from FoundationDB's documentation, on purpose without a line of the engine.
// Thread safety: pure functions and plain values.
//
//   Map state;
//   std::vector<std::string> problems;
//   Replay(attempt, stamp, ReadsToCheck::kAll, &state, &problems);
#ifndef FDBJOBS_TESTS_HISTORY_MODEL_H_
#define FDBJOBS_TESTS_HISTORY_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/history/history.h"

namespace fdbjobs::test {

using Map = std::map<std::string, std::string, std::less<>>;

// The value of a key after an atomic operation of API version 630. Nothing: the key is not there.
std::optional<std::string> AfterAtomic(int mutation, const std::optional<std::string>& old, std::string_view operand);

// `stamp` goes into the operations that want one.
void ApplyWrite(const Operation& operation, std::string_view stamp, Map* map);

// The key that a selector names. Nothing when it lies before the first key or behind the last one.
std::optional<std::string> Resolve(const Map& map, const Selector& selector);

// What is wrong with the recorded result of a read, were `map` the database. Empty when it is right.
std::string CheckRead(const Operation& operation, const Map& map);

enum class ReadsToCheck {
  kAll,          // at the read version
  kSerializable  // at the commit: those that conflict with what was committed in between
};

// Runs the attempt on `*map`, which becomes what the attempt made of it. Wrong reads go to `problems`.
void Replay(const Attempt& attempt, std::string_view stamp, ReadsToCheck which, Map* map,
            std::vector<std::string>* problems);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_HISTORY_MODEL_H_
