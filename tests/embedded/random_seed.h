// The seed of a random test: printed, and taken back from FDBJOBS_TEST_SEED.
#ifndef FDBJOBS_TESTS_EMBEDDED_RANDOM_SEED_H_
#define FDBJOBS_TESTS_EMBEDDED_RANDOM_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace fdbjobs::embedded {

inline uint64_t RandomSeed() {
  const char* given = std::getenv("FDBJOBS_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cerr << "seed: FDBJOBS_TEST_SEED=" << seed << "\n";
  return seed;
}

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_TESTS_EMBEDDED_RANDOM_SEED_H_
