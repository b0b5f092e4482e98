#pragma once

#include "common/harness/gpu_timer.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

// What programs without a kernel share: those that show what the CPU alone takes. References that
// take long use its threads too.

// How many threads of the CPU a program uses. A program is linked with cpu_one_core.cpp or with
// cpu_all_cores.cpp, which define it.
unsigned cpu_threads();

// Threads that this process can run at once; at least 1. Not the computer's cores: a container, a
// batch system or taskset may allow it fewer.
inline unsigned cpu_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  }
  return std::max(1u, std::thread::hardware_concurrency());  // more cores than a cpu_set_t holds
}

// Calls work(chunk, first, last) for `threads` chunks of 0..size, of nearly equal length, each on a
// thread of its own; the last one on the caller's. Starting a thread takes some 20 us, which is
// little beside the milliseconds that large arrays need, and is part of the time.
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

// Times `run` by the CPU's clock, `repeats` times after one that is not counted; `prepare` comes
// before each and is not part of the time. The CPU's caches are not emptied: data that they hold
// stays there, in the CPU's favour.
inline Timing time_on_cpu(
    const std::function<void()>& run, const std::function<void()>& prepare = [] {},
    int repeats = 21) {
  std::vector<double> ms;
  for (int round = -1; round < repeats; ++round) {  // round -1 warms up
    prepare();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    if (round >= 0) ms.push_back(elapsed.count());
  }
  return summarise(std::move(ms));
}

// `run` by the CPU's clock, and then `ceiling` on the GPU.
inline Timings time_on_cpu_beside(
    const std::function<void()>& ceiling, const std::function<void()>& run,
    const std::function<void()>& prepare = [] {}, int repeats = 21) {
  const Timing own = time_on_cpu(run, prepare, repeats);
  return {own, time_interleaved({ceiling}).front()};
}
