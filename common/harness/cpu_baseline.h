#pragma once

#include "common/harness/gpu_timer.h"

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

// Shared by programs without a kernel, which show how long the CPU alone needs. References that
// take long use its threads too.

// Number of CPU threads of a program: defined in baselines/cpu_one_core.cpp and cpu_all_cores.cpp;
// a program is linked with one of them.
unsigned cpu_threads();

// Number of threads that this process can run at the same time, at least 1. The computer can have
// more cores: a container, a batch system or taskset can allow the process fewer.
unsigned cpu_cores();

// Calls work(chunk, first, last) for `threads` chunks of 0..size, of nearly equal length, each on
// its own thread; the last one on the caller's thread. Starting a thread takes about 20 us, which
// is part of the time, and little compared with the milliseconds that large arrays need.
template <typename Work>
void for_each_chunk(std::size_t size, unsigned threads, const Work& work) {
  const auto run = [&](unsigned chunk) {
    const std::size_t share = size / threads, more = size % threads;
    const std::size_t first = chunk * share + (chunk < more ? chunk : more);
    work(chunk, first, first + share + (chunk < more ? 1 : 0));
  };
  std::vector<std::thread> others;
  for (unsigned chunk = 0; chunk + 1 < threads; ++chunk) others.emplace_back(run, chunk);
  run(threads - 1);
  for (std::thread& other : others) other.join();
}

// Times `run` with the CPU's clock, `repeats` times after one run that is not counted. `prepare`
// runs before each and is not part of the time. The CPU's caches are not emptied: data that is
// already there is an advantage for the CPU.
Timing time_on_cpu(
    const std::function<void()>& run, const std::function<void()>& prepare = [] {},
    int repeats = 21);

// Times `run` with the CPU's clock, and then `ceiling` on the GPU.
Timings time_on_cpu_beside(
    const std::function<void()>& ceiling, const std::function<void()>& run,
    const std::function<void()>& prepare = [] {}, int repeats = 21);
