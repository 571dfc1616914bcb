// TemporaryFolder: a folder for one test, removed with all that is in it at the end.
#ifndef FDBJOBS_TESTS_EMBEDDED_TEMPORARY_FOLDER_H_
#define FDBJOBS_TESTS_EMBEDDED_TEMPORARY_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace fdbjobs::embedded {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "fdbjobs-test-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_TESTS_EMBEDDED_TEMPORARY_FOLDER_H_
