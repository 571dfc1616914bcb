// InThreads: runs the same body in several threads and waits for all of them.
//
// Thread safety: the body is shared by the threads.
//
//   InThreads(16, [&] { while (next++ < n) AddOne(); });
#ifndef FDBJOBS_TOOLS_BENCH_IN_THREADS_H_
#define FDBJOBS_TOOLS_BENCH_IN_THREADS_H_

#include <exception>
#include <thread>
#include <vector>

namespace fdbjobs::bench {

// The first exception of a body is thrown again here.
template <typename Body>
void InThreads(int count, Body body) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> failures(count);
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body();
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_IN_THREADS_H_
