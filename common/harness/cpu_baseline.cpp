#include "common/harness/cpu_baseline.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

unsigned cpu_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  }
  return std::max(1u, std::thread::hardware_concurrency());  // more cores than a cpu_set_t holds
}

Timing time_on_cpu(const std::function<void()>& run, const std::function<void()>& prepare,
                   int repeats) {
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

Timings time_on_cpu_beside(const std::function<void()>& ceiling, const std::function<void()>& run,
                           const std::function<void()>& prepare, int repeats) {
  const Timing own = time_on_cpu(run, prepare, repeats);
  return {own, time_interleaved({ceiling}).front()};
}
