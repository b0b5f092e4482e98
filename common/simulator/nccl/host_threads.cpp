#include "nccl/host_threads.h"

#include "execution/worker_pool.h"
#include "program/environment.h"

#include <dirent.h>
#include <pthread.h>

#include <atomic>
#include <memory>

namespace cuda_simulator::nccl {
namespace {

std::atomic<int> own_threads{0}, waiting_threads{0};

int threads_of_process() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  int count = 0;
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr)
    count += entry->d_name[0] != '.';
  return count;
}

// A forked process has none of these threads.
void forget_in_a_fork() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { own_threads = waiting_threads = 0; });
  static_cast<void>(registered);
}

}  // namespace

OwnThread::OwnThread() {
  forget_in_a_fork();
  ++own_threads;
}
OwnThread::~OwnThread() { --own_threads; }
WaitingThread::WaitingThread() {
  forget_in_a_fork();
  ++waiting_threads;
}
WaitingThread::~WaitingThread() { --waiting_threads; }

bool is_a_thread_left() {
  const int count = threads_of_process();  // 0 if the system does not report it
  return count == 0 || count - own_threads - WorkerPool::threads_started() > waiting_threads;
}

double patience_s() {
  constexpr const char* kName = "CUDA_SIMULATOR_NCCL_SECONDS";
  const auto wanted = environment(kName);
  if (!wanted) return 60;
  const auto number = whole_number(*wanted);
  if (!number || *number < 1 || *number > 86400)
    refuse_environment(kName, *wanted, "an integer from 1 to 86400");
  return static_cast<double>(*number);
}

}  // namespace cuda_simulator::nccl
