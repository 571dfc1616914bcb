// Generator: random transactions over a small hot key space.
//
// Keys below the test's prefix:
//   c00 to c11, e00 to e11   fences, never written: selectors that walk off the data stop among them
//   d...                     the data: 40 hot keys, and between them keys with versionstamps
//   m<id>                    markers: the stamp of each attempt that committed, by its id
//
// Thread safety: one thread at a time. Lifetime: owns all.
//
//   Generator generator("prefix/", seed);
//   Program program = generator.Next(id);
#ifndef FDBJOBS_TESTS_HISTORY_GENERATOR_H_
#define FDBJOBS_TESTS_HISTORY_GENERATOR_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fdbjobs/fdb/options.h"
#include "tests/history/history.h"

namespace fdbjobs::test {

// A transaction that is to be run.
struct Program {
  std::vector<Operation> operations;
  bool read_only = false;
  OwnWrites own_writes = OwnWrites::kSeen;
  bool durability_risky = false;
  // Reads at a version of some moments ago.
  bool in_the_past = false;
  // Asks for its read version before the first read, not only after the last one.
  bool version_first = false;
};

std::vector<std::string> FenceKeys(const std::string& prefix);
std::string MarkerPrefix(const std::string& prefix);
std::string MarkerKey(const std::string& prefix, uint64_t id);
// All that selectors and ranges of the test can see: from the first fence to behind the last one.
std::string DataBegin(const std::string& prefix);
std::string DataEnd(const std::string& prefix);

class Generator {
 public:
  Generator(std::string prefix, uint64_t seed) : prefix_(std::move(prefix)), random_(seed) {}

  // `id` goes into the marker and makes the values that are set different from all others.
  Program Next(uint64_t id);

 private:
  bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  int Between(int least, int most) { return least + static_cast<int>(random_() % (most - least + 1)); }
  std::string Letter();
  std::string DataKey();
  std::string SmallBytes();
  Selector AnySelector();

  Operation Read();
  Operation RangeRead();
  Operation Write(uint64_t id, int number);
  Operation Atomic();
  Operation AtomicOf(fdb::MutationType type);
  Operation RangeOver(Operation::Kind kind);
  Operation StampedWrite(int number);

  const std::string prefix_;
  std::mt19937_64 random_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_HISTORY_GENERATOR_H_
