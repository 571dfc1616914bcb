// Folder: the folder of a database on disk. Whose it is, who has it open, and who came first.
//
// Files: `fdbjobs-embedded` (the mark that the folder is ours, with the format), `lock` (byte locks), `control`
// (control_block.h), `log-*` and `spare-*` (commit_log.h), `base.sqlite*` (base_store.h).
//
// Every process holds byte locks of `lock` while it has the folder open; the kernel drops them when it dies. So each
// can tell which others live, also across containers that share the folder but not the process ids.
//
// Thread safety: IsAlive and IsInPlace from any thread, the rest from the thread that opens. Lifetime: locks end with
// the object.
#ifndef FDBJOBS_EMBEDDED_FOLDER_H_
#define FDBJOBS_EMBEDDED_FOLDER_H_

#include <cstdint>
#include <string>

#include "fdbjobs/embedded/file_util.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class Folder {
 public:
  // Creates the folder if it is missing. Refuses a folder with other files, of a newer format, or not writable.
  // Until FinishOpen, other processes that open the folder wait.
  ErrorCode StartOpen(const std::string& path, std::string* why);
  // Whether no other process has the folder open: then the shared state is to be written anew.
  bool first() const { return first_; }
  // Whether the folder was in use before, since it has the mark: then all its files were made.
  bool marked() const { return marked_; }
  // The shared state is good: lets others in.
  ErrorCode FinishOpen(std::string* why);

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  // A number for this process, different from that of every other that has the folder open.
  uint16_t slot() const { return slot_; }
  bool IsAlive(uint16_t slot) const;
  // Whether the folder is still where it was opened: not renamed, removed, or replaced by another one.
  bool IsInPlace() const;

 private:
  ErrorCode CheckOurs(std::string* why) const;
  ErrorCode CheckFormat(bool* marked, std::string* why) const;
  ErrorCode WriteMark(std::string* why) const;
  ErrorCode TakeSlot(std::string* why);

  std::string path_;
  FileDescriptor lock_;
  bool first_ = false;
  bool marked_ = false;
  uint16_t slot_ = 0;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FOLDER_H_
