#include "runtime/streams.h"

#include "runtime/devices.h"

namespace cuda_simulator {

Streams& Streams::get() {
  static Streams& streams = *new Streams;  // never destroyed: the program may end with live streams
  return streams;
}

cudaStream_t Streams::create(int priority, bool is_blocking) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return *live_.insert(new CudaSimulatorStream{priority, current_device(), is_blocking, {}}).first;
}

bool Streams::replace(cudaStream_t stream, const CudaSimulatorStream& by) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_live = live_.count(stream) != 0;
  if (is_live) *stream = by;
  return is_live;
}

bool Streams::destroy(cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.erase(stream) == 0) return false;
  delete stream;
  return true;
}

std::optional<CudaSimulatorStream> Streams::find(cudaStream_t stream) const {
  if (is_default_stream(stream) || stream == cudaStreamPerThread)
    return CudaSimulatorStream{0, current_device(), true};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.count(stream) == 0) return std::nullopt;
  return *stream;
}

}  // namespace cuda_simulator
