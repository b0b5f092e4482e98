#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cuda_simulator {

// One OS thread per core, including the caller's, kept from launch to launch.
class WorkerPool {
 public:
  // CUDA_SIMULATOR_THREADS in the environment sets the size; without it, the number of cores.
  static WorkerPool& get();

  // The number of threads that the pool has started, in addition to those of the program.
  static int threads_started();

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls work() on the caller's thread, and once on each other thread that is free before the
  // caller's call returns. Returns when all calls have returned. The calls must divide the work
  // among themselves.
  void run(const std::function<void()>& work);

 private:
  explicit WorkerPool(int size);
  ~WorkerPool();
  void serve();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable started_, finished_;
  const std::function<void()>* work_ = nullptr;  // not null while there may be work left
  unsigned long round_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
};

}  // namespace cuda_simulator
