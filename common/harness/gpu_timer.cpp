#include "common/harness/gpu_timer.h"

#include "common/cuda_check.h"
#include "common/harness/profiler_range.h"
#include "common/harness/sm_clock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace {

void wait_until_released(void* released) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (!*static_cast<std::atomic<bool>*>(released) && std::chrono::steady_clock::now() < end) {
  }
}

// The clock of the multiprocessors while each of `launches` runs, in MHz: medians of a few separate
// runs, alternating, because reading the clock takes time. 0 if the clock is not known.
std::vector<int> sm_clocks(const std::vector<std::function<void()>>& launches) {
  constexpr int kRounds = 5;
  const SmClock clock;
  std::vector<std::vector<int>> mhz(launches.size(), std::vector<int>(kRounds));
  for (int round = 0; clock.is_known() && round < kRounds; ++round) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const ProfilerRange range("clock");
      launches[i]();
      mhz[i][round] = clock.mhz();  // the work is queued and running
      CUDA_CHECK(cudaDeviceSynchronize());
    }
  }
  std::vector<int> medians;
  for (std::vector<int>& one : mhz) {
    std::sort(one.begin(), one.end());
    medians.push_back(one[kRounds / 2]);
  }
  return medians;
}

}  // namespace

StreamHold::StreamHold(cudaStream_t stream) : stream_(stream) {
  CUDA_CHECK(cudaLaunchHostFunc(stream, wait_until_released, &released_));
}

StreamHold::~StreamHold() {
  release();
  cudaStreamSynchronize(stream_);  // the function in the stream reads released_
}

Timing summarise(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back()};
}

std::vector<Timing> time_interleaved(const std::vector<std::function<void()>>& launches,
                                     int repeats) {
  const CudaEvent start, stop;
  L2Flush flush_l2;
  std::vector<std::vector<double>> ms(launches.size());
  for (int round = -1; round < repeats; ++round) {  // round -1 warms up
    for (std::size_t i = 0; i < launches.size(); ++i) {
      StreamHold hold(nullptr);
      flush_l2();
      const ProfilerRange range(round < 0 ? "warm-up" : "timed run");
      CUDA_CHECK(cudaEventRecord(start.get()));
      launches[i]();
      CUDA_CHECK(cudaEventRecord(stop.get()));
      hold.release();
      CUDA_CHECK(cudaEventSynchronize(stop.get()));
      float elapsed_ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start.get(), stop.get()));
      if (round >= 0) ms[i].push_back(elapsed_ms);
    }
  }
  const std::vector<int> clocks = sm_clocks(launches);
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    timings.push_back(summarise(std::move(ms[i])));
    timings.back().sm_clock_mhz = clocks[i];
  }
  return timings;
}

Timings time_beside(const std::function<void()>& ceiling, const std::function<void()>& run) {
  const std::vector<Timing> timings = time_interleaved({ceiling, run});
  return {timings[1], timings[0]};
}
