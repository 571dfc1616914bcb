// TempFolder: an empty folder for a test, removed with all that is in it when the object goes.
//
// Thread safety: a constant after its making. Lifetime: the folder lives as long as the object.
//
//   TempFolder folder;
//   Database::Open("embedded:" + folder.path());
#ifndef FDBJOBS_TESTS_SUPPORT_TEMP_FOLDER_H_
#define FDBJOBS_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <string>

namespace fdbjobs::test {

class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_TEMP_FOLDER_H_
