// Notification: waits once for something that another thread does. Over the standard mutex, which ThreadSanitizer
// knows, where that of Debian's Abseil looks like a race to it.
#ifndef FDBJOBS_TESTS_SUPPORT_NOTIFICATION_H_
#define FDBJOBS_TESTS_SUPPORT_NOTIFICATION_H_

#include <condition_variable>
#include <mutex>

namespace fdbjobs::test {

class Notification {
 public:
  void Notify() {
    const std::lock_guard lock(mutex_);
    notified_ = true;
    changed_.notify_all();
  }
  void WaitForNotification() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return notified_; });
  }
  bool HasBeenNotified() {
    const std::lock_guard lock(mutex_);
    return notified_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool notified_ = false;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_NOTIFICATION_H_
