// Runs the seeds of the fuzz target in every build, with or without libFuzzer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fdbjobs/keyspace/tuple.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace fdbjobs::tests {
namespace {

TEST(TupleCorpus, EverySeedHoldsWhatTheFuzzTargetRequires) {
  int good = 0;
  int bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FDBJOBS_TUPLE_CORPUS)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0);
    ++(tuple::Decode(bytes).ok() ? good : bad);
  }
  EXPECT_GE(good, 10);
  EXPECT_GE(bad, 5);
}

}  // namespace
}  // namespace fdbjobs::tests
