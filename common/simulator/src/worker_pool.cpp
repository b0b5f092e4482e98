#include "worker_pool.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

namespace cuda_simulator {
namespace {

// Each thread may keep 1024 stacks with a guard page each, and Linux gives a process 65530
// mappings.
constexpr int kMaxWorkers = 16;

int wanted_size() {
  if (const char* const wanted = std::getenv("CUDA_SIMULATOR_THREADS")) {
    return std::clamp(std::atoi(wanted), 1, kMaxWorkers);
  }
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::clamp(CPU_COUNT(&cores), 1, kMaxWorkers);
}

}  // namespace

WorkerPool& WorkerPool::get() {
  static WorkerPool pool(wanted_size());
  return pool;
}

WorkerPool::WorkerPool(int size) {
  for (int i = 1; i < size; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(const std::function<void()>& work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  started_.notify_all();
  work();
  std::unique_lock<std::mutex> lock(mutex_);
  finished_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::serve() {
  unsigned long served = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    started_.wait(lock, [&] { return stopping_ || round_ != served; });
    if (stopping_) return;
    served = round_;
    const std::function<void()>& work = *work_;
    lock.unlock();
    work();
    lock.lock();
    if (--busy_ == 0) finished_.notify_one();
  }
}

}  // namespace cuda_simulator
