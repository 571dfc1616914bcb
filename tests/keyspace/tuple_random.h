// Random elements and tuples for tests, with a bias towards the edges: zero bytes, lengths that differ by one, powers
// of 256, NaNs, incomplete versionstamps, common prefixes.
//
// Thread safety: one thread per TupleRandom. The seed is printed by gtest on failure if the test traces it:
//
//   TupleRandom random(TestSeed());
//   SCOPED_TRACE(random.Trace());                        // "FDBJOBS_TEST_SEED=123"
//   tuple::Tuple tuple = random.AnyTuple();
#ifndef FDBJOBS_TESTS_KEYSPACE_TUPLE_RANDOM_H_
#define FDBJOBS_TESTS_KEYSPACE_TUPLE_RANDOM_H_

#include <cstdint>
#include <random>
#include <string>

#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tests {

// FDBJOBS_TEST_SEED from the environment, else a fresh one. Prints it.
uint64_t TestSeed();

class TupleRandom {
 public:
  explicit TupleRandom(uint64_t seed) : seed_(seed), generator_(seed) {}

  std::string Trace() const;

  // Less than `bound`, which is not 0.
  uint64_t Below(uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(generator_); }
  std::string RawBytes(size_t max_size);

  tuple::Element AnyElement(int max_depth = 3);
  tuple::Element AnyInteger();
  tuple::Tuple AnyTuple(int max_depth = 3);
  // Like `tuple`, but for an element that was replaced, added or dropped.
  tuple::Tuple Neighbour(const tuple::Tuple& tuple);

 private:
  std::string Text();
  float AnyFloat();
  double AnyDouble();
  tuple::Versionstamp AnyVersionstamp();

  const uint64_t seed_;
  std::mt19937_64 generator_;
};

}  // namespace fdbjobs::tests

#endif  // FDBJOBS_TESTS_KEYSPACE_TUPLE_RANDOM_H_
