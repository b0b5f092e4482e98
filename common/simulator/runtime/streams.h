#pragma once

#include "simulator/runtime_api.h"
#include "simulator/stream_attributes.h"

#include <mutex>
#include <optional>
#include <set>

// The target of a cudaStream_t.
struct CudaSimulatorStream {
  int priority = 0;
  int device = 0;
  bool is_blocking = true;  // it and the device's default stream wait for each other
  cudaAccessPolicyWindow access_window{};
};

namespace cuda_simulator {

inline bool is_default_stream(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

// The streams that the program has created and not destroyed.
class Streams {
 public:
  static Streams& get();

  cudaStream_t create(int priority, bool is_blocking);  // on the calling thread's device
  bool destroy(cudaStream_t stream);                    // false if there is none
  // Returns nothing for a stream that was destroyed or never existed. Default streams belong to the
  // calling thread's device.
  std::optional<CudaSimulatorStream> find(cudaStream_t stream) const;
  bool replace(cudaStream_t stream, const CudaSimulatorStream& by);  // false if there is none

 private:
  std::set<cudaStream_t> live_;
  mutable std::mutex mutex_;
};

}  // namespace cuda_simulator
