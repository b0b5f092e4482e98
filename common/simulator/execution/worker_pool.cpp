#include "execution/worker_pool.h"

#include "program/environment.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>

namespace cuda_simulator {
namespace {

// Each thread may keep 1024 stacks with a guard page each, and Linux limits a process to 65530
// mappings.
constexpr int kMaxWorkers = 16;

int wanted_size() {
  constexpr const char* kName = "CUDA_SIMULATOR_THREADS";
  if (const auto wanted = environment(kName)) {
    const auto number = whole_number(*wanted);
    if (!number || *number < 1 || *number > kMaxWorkers) {
      refuse_environment(kName, *wanted, "an integer from 1 to 16");
    }
    return static_cast<int>(*number);
  }
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::clamp(CPU_COUNT(&cores), 1, kMaxWorkers);
}

std::atomic<int> started_threads{0};

}  // namespace

int WorkerPool::threads_started() { return started_threads; }

WorkerPool& WorkerPool::get() {
  static WorkerPool pool(wanted_size());
  return pool;
}

WorkerPool::WorkerPool(int size) {
  // a forked process has none of them
  pthread_atfork(nullptr, nullptr, [] { started_threads = 0; });
  try {
    for (int i = 1; i < size; ++i) {
      threads_.emplace_back([this] { serve(); });
      ++started_threads;
    }
  } catch (const std::system_error&) {
    // No space for another thread with all the program's __shared__ variables. The existing threads
    // do the work.
  }
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
    ++round_;
  }
  started_.notify_all();
  work();
  // A thread that wakes up late has nothing to do: most launches end before that.
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = nullptr;
  finished_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::serve() {
  unsigned long served = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    started_.wait(lock, [&] { return stopping_ || (work_ && round_ != served); });
    if (stopping_) return;
    served = round_;
    const std::function<void()>& work = *work_;
    ++busy_;
    lock.unlock();
    work();
    lock.lock();
    if (--busy_ == 0) finished_.notify_one();
  }
}

}  // namespace cuda_simulator
