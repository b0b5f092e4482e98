#pragma once

#include "simulator/runtime_api.h"

#include <mutex>
#include <optional>
#include <set>

// What cudaStream_t points to.
struct CudaSimulatorStream {
  int priority = 0;
  int device = 0;
  bool is_blocking = true;  // waits for the device's default stream, which waits for it
};

namespace cuda_simulator {

inline bool is_default_stream(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

// The streams that programs have made and not destroyed.
class Streams {
 public:
  static Streams& get();

  cudaStream_t create(int priority, bool is_blocking);  // on the calling thread's device
  bool destroy(cudaStream_t stream);                    // false if there is none
  // Nothing for a stream that is destroyed, or never was. Default streams are of the calling
  // thread's device.
  std::optional<CudaSimulatorStream> find(cudaStream_t stream) const;

 private:
  std::set<cudaStream_t> live_;
  mutable std::mutex mutex_;
};

}  // namespace cuda_simulator
