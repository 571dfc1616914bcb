// LastError: the sentence behind an error code that crossed the C ABI, for fdb_embedded_error_detail.
//
// The ABI returns a number only. A function that can say more about its failure (which path, which option) leaves a
// sentence here; it stays until the next such failure on the same thread.
// Thread safety: each thread has its own.
//
//   return Fail(kFileNotReadable, "can't read /etc/foundationdb/fdb.cluster: Permission denied");
#ifndef FDBJOBS_EMBEDDED_LAST_ERROR_H_
#define FDBJOBS_EMBEDDED_LAST_ERROR_H_

#include <string>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// Remembers `detail` for this thread and returns `error`.
ErrorCode Fail(ErrorCode error, std::string detail);

// Remembers `detail` for the process: a failure on a thread of the engine, which no call returned by itself.
void SetEngineError(std::string detail);

// The last detail of this thread, else the last one of the engine's threads, or an empty string. Valid until the next
// Fail on this thread.
const char* LastErrorDetail();

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_LAST_ERROR_H_
