// TypeWatches: the watches of a supervisor, by name, and which of them fired.
//
// Thread safety: Wait and Notify from any thread, the rest from one thread at a time; watches fire on the network
// thread. Lifetime: watches that fire later find nothing to do.
//
//   watches.Set("name", tr.Watch(key));            // after the transaction has committed
//   for (const std::string& name : watches.TakeFired(&refused)) LookAgain(name);
#ifndef FDBJOBS_MONITOR_TYPE_WATCHES_H_
#define FDBJOBS_MONITOR_TYPE_WATCHES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "fdbjobs/fdb/future.h"

namespace fdbjobs {

class TypeWatches {
 public:
  TypeWatches();
  ~TypeWatches();
  TypeWatches(const TypeWatches&) = delete;
  TypeWatches& operator=(const TypeWatches&) = delete;

  // Takes the place of an earlier one of that name.
  void Set(const std::string& name, fdb::VoidFuture watch);
  void Drop(const std::string& name);
  size_t size() const { return watches_.size(); }

  // Those that fired, or failed; they are dropped. `refused` tells that one failed since there are too many of them.
  std::vector<std::string> TakeFired(bool* refused);

  // Until a watch fires, Notify is called, or the time is over.
  void Wait(absl::Duration longest);
  void Notify();

 private:
  struct Shared;

  std::map<std::string, fdb::VoidFuture> watches_;
  // Self-synchronised. Shared with callbacks of watches, which may come late.
  const std::shared_ptr<Shared> shared_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_TYPE_WATCHES_H_
