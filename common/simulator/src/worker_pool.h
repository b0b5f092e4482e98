#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cuda_simulator {

// One OS thread a core, the caller's among them, kept from launch to launch.
class WorkerPool {
 public:
  // CUDA_SIMULATOR_THREADS in the environment sets the size; without it, the number of cores.
  static WorkerPool& get();

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls work() once on every thread of the pool and returns when all have returned.
  void run(const std::function<void()>& work);

 private:
  explicit WorkerPool(int size);
  ~WorkerPool();
  void serve();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable started_, finished_;
  const std::function<void()>* work_ = nullptr;
  unsigned long round_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
};

}  // namespace cuda_simulator
