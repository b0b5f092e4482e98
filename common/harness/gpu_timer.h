#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/profiler_range.h"
#include "common/harness/sm_clock.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

// Owns one cudaEvent_t.
class CudaEvent {
 public:
  CudaEvent() { CUDA_CHECK(cudaEventCreate(&event_)); }
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Milliseconds of repeated runs.
struct Timing {
  double median_ms, min_ms, max_ms;
  int sm_clock_mhz = 0;  // clock of the multiprocessors during this work; 0 if it is not known
};

// `ms` must not be empty. For an even count, the median is the higher of the two middle values.
inline Timing summarise(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back()};
}

// Removes the next kernel's data from the L2 cache by reading twice the cache's size. A memset
// would fill the cache with lines that must be written back while the next kernel runs.
class L2Flush {
 public:
  L2Flush() : source_(2 * l2_bytes()), sink_(kChunkBytes) { source_.fill_bytes(0); }

  // Queues the reads on the default stream.
  void operator()() {
    for (std::size_t at = 0; at + kChunkBytes <= source_.size(); at += kChunkBytes) {
      CUDA_CHECK(cudaMemcpyAsync(sink_.data(), source_.data() + at, kChunkBytes,
                                 cudaMemcpyDeviceToDevice));
    }
  }

 private:
  static constexpr std::size_t kChunkBytes = 4 << 20;

  static std::size_t l2_bytes() {
    int bytes = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    return static_cast<std::size_t>(bytes);
  }

  DeviceBuffer<char> source_, sink_;
};

// The clock of the multiprocessors while each of `launches` runs, in MHz: medians of a few separate
// runs, alternating, because reading the clock takes time. 0 if the clock is not known.
inline std::vector<int> sm_clocks(const std::vector<std::function<void()>>& launches) {
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

// Times each of `launches` `repeats` times on the default stream, alternating (a b a b ...), so
// that a drift of the clock affects all of them. Each runs once before that, without being timed.
// The L2 cache is flushed before every run. A launch only queues work. Queueing is not part of the
// time, because the flush keeps the device busy during that time.
inline std::vector<Timing> time_interleaved(const std::vector<std::function<void()>>& launches,
                                            int repeats = 21) {
  const CudaEvent start, stop;
  L2Flush flush_l2;
  std::vector<std::vector<double>> ms(launches.size());
  for (int round = -1; round < repeats; ++round) {  // round -1 warms up
    for (std::size_t i = 0; i < launches.size(); ++i) {
      flush_l2();
      const ProfilerRange range(round < 0 ? "warm-up" : "timed run");
      CUDA_CHECK(cudaEventRecord(start.get()));
      launches[i]();
      CUDA_CHECK(cudaEventRecord(stop.get()));
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

// The time of a program, and of the ceiling that was measured with it.
struct Timings {
  Timing own, ceiling;
};

// Times both on the GPU, alternating. The ceiling runs first: it can restore data that `run`
// changes.
inline Timings time_beside(const std::function<void()>& ceiling, const std::function<void()>& run) {
  const std::vector<Timing> timings = time_interleaved({ceiling, run});
  return {timings[1], timings[0]};
}
