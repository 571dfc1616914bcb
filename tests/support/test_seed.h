// The seed of random tests: printed, so that a failure can be repeated with FDBJOBS_TEST_SEED=<seed>.
//
// Thread safety: any thread.
//
//   std::mt19937_64 random(TestSeed());
#ifndef FDBJOBS_TESTS_SUPPORT_TEST_SEED_H_
#define FDBJOBS_TESTS_SUPPORT_TEST_SEED_H_

#include <cstdint>

namespace fdbjobs::test {

// The same for the whole process.
uint64_t TestSeed();

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_TEST_SEED_H_
