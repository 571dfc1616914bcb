// Examples in pages and headers, and whether a compiled source has them.
//
// Thread safety: pure functions.
//
//   for (const Example& example : ExamplesOfPage("docs/guide.md")) EXPECT_TRUE(IsPartOf(example.code, source));
#ifndef FDBJOBS_TESTS_EXAMPLES_EXAMPLES_H_
#define FDBJOBS_TESTS_EXAMPLES_EXAMPLES_H_

#include <string>
#include <string_view>
#include <vector>

namespace fdbjobs::test {

struct Example {
  std::string where;  // "docs/guide.md:17"
  std::string code;
};

// Paths are relative to the source tree.
std::string ReadSource(const std::string& path);
// The ```cpp blocks.
std::vector<Example> ExamplesOfPage(const std::string& path);
// Code that is set off by three spaces in comments.
std::vector<Example> ExamplesOfHeader(const std::string& path);
// The files right in a folder of the source tree whose names end so: ".h".
std::vector<std::string> FilesIn(const std::string& folder, std::string_view extension);

// A program of its own: CMake compiles it from the page.
bool IsProgram(const Example& example);

// Whether `source` has the code, but for white space and comments. "..." in the code stands for anything within one
// function.
bool IsPartOf(std::string_view code, std::string_view source);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_EXAMPLES_EXAMPLES_H_
