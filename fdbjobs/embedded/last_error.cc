#include "fdbjobs/embedded/last_error.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "fdbjobs/embedded/mutex.h"

namespace fdbjobs::embedded {
namespace {

thread_local std::string last_detail;

// Never destroyed: threads of an engine may fail while the process exits.
struct EngineError {
  Mutex mutex;
  std::string detail ABSL_GUARDED_BY(mutex);

  static EngineError& Get() {
    static EngineError* const error = new EngineError;
    return *error;
  }
};

}  // namespace

ErrorCode Fail(ErrorCode error, std::string detail) {
  last_detail = std::move(detail);
  return error;
}

void SetEngineError(std::string detail) {
  EngineError& error = EngineError::Get();
  MutexLock lock(&error.mutex);
  error.detail = std::move(detail);
}

const char* LastErrorDetail() {
  if (last_detail.empty()) {
    EngineError& error = EngineError::Get();
    MutexLock lock(&error.mutex);
    last_detail = error.detail;
  }
  return last_detail.c_str();
}

}  // namespace fdbjobs::embedded
