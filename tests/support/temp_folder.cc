#include "tests/support/temp_folder.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace fdbjobs::test {

TempFolder::TempFolder() {
  path_ = (std::filesystem::temp_directory_path() / "fdbjobs-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror(("mkdtemp " + path_).c_str());
    std::abort();
  }
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fdbjobs::test
