// Every example in the pages and in the public headers is part of a source that is compiled, so it compiles too.
#include "tests/examples/examples.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace fdbjobs::test {
namespace {

void ExpectAllIn(const std::vector<Example>& examples, const std::vector<std::string>& sources) {
  for (const Example& example : examples) {
    if (IsProgram(example)) continue;
    bool found = false;
    for (const std::string& source : sources) found = found || IsPartOf(example.code, ReadSource(source));
    EXPECT_TRUE(found) << example.where << ": this is in none of the compiled sources:\n" << example.code;
  }
}

const std::vector<std::string>& Sources() {
  static const auto* const sources =
      new std::vector<std::string>({"tests/examples/guide_test.cc", "tests/examples/raw_loop_test.cc",
                                    "tests/examples/header_examples.cc", "tests/examples/keyspace_examples.cc",
                                    "tests/examples/monitor_examples.cc", "tests/examples/admin_examples.cc"});
  return *sources;
}

TEST(Examples, OfTheGuideAreCompiled) {
  const std::vector<Example> examples = ExamplesOfPage("docs/guide.md");
  EXPECT_GT(examples.size(), 10u);
  ExpectAllIn(examples, Sources());
}

TEST(Examples, OfTheReadmeAreCompiled) {
  const std::vector<Example> examples = ExamplesOfPage("README.md");
  EXPECT_FALSE(examples.empty());
  std::vector<std::string> sources = Sources();
  // Built by tests/install.
  for (const std::string& source : FilesIn("docs/example", ".cc")) sources.push_back(source);
  ExpectAllIn(examples, sources);
}

TEST(Examples, OfThePublicHeadersAreCompiled) {
  int count = 0;
  for (const char* folder : {"fdbjobs", "fdbjobs/admin", "fdbjobs/fdb", "fdbjobs/keyspace", "fdbjobs/monitor"}) {
    for (const std::string& header : FilesIn(folder, ".h")) {
      const std::vector<Example> examples = ExamplesOfHeader(header);
      count += static_cast<int>(examples.size());
      ExpectAllIn(examples, Sources());
    }
  }
  EXPECT_GT(count, 30);
}

TEST(Examples, AreComparedWithoutWhiteSpaceAndComments) {
  const std::string source = "void F() {\n  int a = 1;  // one\n  int b = 2;\n}\nvoid G() {\n  int c = 3;\n}\n";
  EXPECT_TRUE(IsPartOf("int a = 1;\nint b =\n  2;  // two\n", source));
  EXPECT_TRUE(IsPartOf("int a ...;\nint b = 2;", source));
  EXPECT_FALSE(IsPartOf("int a = 2;", source));
  EXPECT_FALSE(IsPartOf("int a = 1;\n...\nint c = 3;", source));
}

}  // namespace
}  // namespace fdbjobs::test
