#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <atomic>
#include <cstddef>
#include <functional>
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

// Keeps `stream` from running what is queued there next until release(), or for 2 ms: work that
// waits for the device would otherwise wait for ever.
class StreamHold {
 public:
  explicit StreamHold(cudaStream_t stream);
  ~StreamHold();
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;
  void release() { released_ = true; }
  bool has_timed_out() const { return timed_out_; }

 private:
  static void wait(void* hold);  // runs in the stream

  cudaStream_t stream_;
  std::atomic<bool> released_{false}, timed_out_{false};
};

// Milliseconds of repeated runs.
struct Timing {
  double median_ms, min_ms, max_ms;
  int sm_clock_mhz = 0;  // clock of the multiprocessors during this work; 0 if it is not known
};

// `ms` must not be empty. For an even count, the median is the higher of the two middle values.
Timing summarise(std::vector<double> ms);

// Times each of `launches` `repeats` times on the default stream, alternating (a b a b ...), so
// that a drift of the clock affects all of them. Each runs twice before that, without being timed.
// The L2 cache is flushed before every run. Queueing is not part of the time, because the stream is
// held until all work is queued. The stream is not held for work that waits for the device, or that
// takes longer than 2 ms to queue.
std::vector<Timing> time_interleaved(const std::vector<std::function<void()>>& launches,
                                     int repeats = 21);

// The time of a program, and of the ceiling that was measured with it.
struct Timings {
  Timing own, ceiling;
};

// Times both on the GPU, alternating. The ceiling runs first: it can restore data that `run`
// changes.
Timings time_beside(const std::function<void()>& ceiling, const std::function<void()>& run);
