// Mutex, SharedMutex and CondVar: the standard ones, with names for the thread safety annotations of Clang.
//
// Not those of Abseil, since Debian's Abseil is built without ThreadSanitizer, which then sees races where there are
// none. Thread safety: as the standard ones.
//
//   MutexLock lock(&mutex_);
//   while (queue_.empty()) arrived_.Wait(&mutex_);
#ifndef FDBJOBS_EMBEDDED_MUTEX_H_
#define FDBJOBS_EMBEDDED_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "absl/base/thread_annotations.h"

namespace fdbjobs::embedded {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->Lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }

 private:
  Mutex* const mutex_;
};

class CondVar {
 public:
  // May return without a cause: the caller looks at its condition again.
  void Wait(Mutex* mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();
  }
  void WaitFor(Mutex* mutex, std::chrono::microseconds timeout) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
    condition_.wait_for(held, timeout);
    held.release();
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

// One writer or many readers.
class ABSL_LOCKABLE SharedMutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() { mutex_.lock_shared(); }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->Lock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }

 private:
  SharedMutex* const mutex_;
};

class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex* mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->ReaderLock(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { mutex_->ReaderUnlock(); }

 private:
  SharedMutex* const mutex_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_MUTEX_H_
