#include "common/harness/gpu_timer.h"

#include "common/cuda_check.h"
#include "common/harness/profiler_range.h"
#include "common/harness/sm_clock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace {

struct Run {
  float ms;
  bool hold_timed_out;  // false if the stream was not held
};

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

Run run_once(const std::function<void()>& launch, L2Flush& flush_l2, bool is_held,
             const char* name) {
  const CudaEvent start, stop;
  std::optional<StreamHold> hold;
  if (is_held) hold.emplace(nullptr);
  flush_l2();
  const ProfilerRange range(name);
  CUDA_CHECK(cudaEventRecord(start.get()));
  launch();
  CUDA_CHECK(cudaEventRecord(stop.get()));
  if (hold) hold->release();
  CUDA_CHECK(cudaEventSynchronize(stop.get()));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start.get(), stop.get()));
  return {ms, hold && hold->has_timed_out()};
}

}  // namespace

StreamHold::StreamHold(cudaStream_t stream) : stream_(stream) {
  CUDA_CHECK(cudaLaunchHostFunc(stream, wait, this));
}

StreamHold::~StreamHold() {
  release();
  cudaStreamSynchronize(stream_);  // wait() must not outlive this
}

void StreamHold::wait(void* hold) {
  StreamHold& self = *static_cast<StreamHold*>(hold);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (!self.released_ && std::chrono::steady_clock::now() < end) {
  }
  self.timed_out_ = !self.released_;
}

Timing summarise(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back()};
}

std::vector<Timing> time_interleaved(const std::vector<std::function<void()>>& launches,
                                     int repeats) {
  L2Flush flush;
  std::vector<std::vector<double>> ms(launches.size());
  std::vector<bool> is_held(launches.size());
  for (int round = -2; round < repeats; ++round) {  // -2 loads the code, -1 tries the hold
    if (round == -1) is_held.assign(launches.size(), true);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const Run run = run_once(launches[i], flush, is_held[i], round < 0 ? "warm-up" : "timed run");
      if (round == -1 && run.hold_timed_out) is_held[i] = false;
      if (round >= 0) ms[i].push_back(run.ms);
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
