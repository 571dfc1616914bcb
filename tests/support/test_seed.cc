#include "tests/support/test_seed.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace fdbjobs::test {

uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const char* const given = std::getenv("FDBJOBS_TEST_SEED");
    std::random_device device;
    const uint64_t chosen =
        given != nullptr ? std::strtoull(given, nullptr, 10) : (static_cast<uint64_t>(device()) << 32) | device();
    std::printf("FDBJOBS_TEST_SEED=%" PRIu64 "\n", chosen);
    std::fflush(stdout);
    return chosen;
  }();
  return seed;
}

}  // namespace fdbjobs::test
