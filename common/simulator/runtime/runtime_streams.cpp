// The runtime API's functions for streams and events.

#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"
#include "trace/tracer.h"

#include "simulator/runtime_api.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <string>

using cuda_simulator::current_device;
using cuda_simulator::report;
using cuda_simulator::RuntimeCall;
using cuda_simulator::stream_order;
using cuda_simulator::StreamCapture;
using cuda_simulator::StreamOrder;
using cuda_simulator::Streams;

struct CudaSimulatorEvent {
  std::chrono::steady_clock::time_point time;
  bool recorded = false, timed = true;
  int device = 0;
  cuda_simulator::CapturedPoint captured;
  cuda_simulator::VectorClock clock;  // the work that a waiting stream then comes after
};

namespace {

// The events that exist: a program may use one that it has destroyed.
class Events {
 public:
  static cudaEvent_t create() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return *live_.insert(new CudaSimulatorEvent).first;
  }
  static bool has(cudaEvent_t event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_.count(event) != 0;
  }
  static void destroy(cudaEvent_t event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    live_.erase(event);
    delete event;
  }

 private:
  inline static std::mutex mutex_;
  inline static std::set<cudaEvent_t>& live_ = *new std::set<cudaEvent_t>;  // never destroyed
};

// As on an H200: a lower number has priority.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

cudaError_t report_if(bool valid, cudaError_t otherwise) {
  return report(valid ? cudaSuccess : otherwise);
}

bool is_own_stream(cudaStream_t stream) {
  return !cuda_simulator::is_default_stream(stream) && stream != cudaStreamPerThread;
}

// The error for a stream or an event of a device other than the current one.
cudaError_t refuse_device(const std::string& message) {
  if (auto* const tracer = cuda_simulator::program_tracer()) tracer->wrong_device(message);
  return report(cudaErrorInvalidResourceHandle);
}

void host_function_runs(cudaStream_t stream) {
  const RuntimeCall call;
  if (StreamOrder* const order = stream_order()) order->host_function_runs(stream);
}

std::string device_text(int device) { return "device " + std::to_string(device); }

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  *stream = Streams::get().create(std::clamp(priority, kGreatestPriority, kLeastPriority),
                                  flags != cudaStreamNonBlocking);
  return report(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const auto known = Streams::get().find(stream);
  if (!known) return report(cudaErrorInvalidResourceHandle);
  *priority = known->priority;
  return report(cudaSuccess);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  const auto known = Streams::get().find(stream);
  if (!known) return report(cudaErrorInvalidResourceHandle);
  *device = known->device;
  return report(cudaSuccess);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  auto known = Streams::get().find(stream);
  if (!known) return report(cudaErrorInvalidResourceHandle);
  if (!value) return report(cudaErrorInvalidValue);
  if (attribute == cudaLaunchAttributePriority) {
    known->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
  } else if (attribute == cudaLaunchAttributeAccessPolicyWindow) {
    const cudaAccessPolicyWindow& window = value->accessPolicyWindow;
    const bool is_valid = window.hitRatio >= 0 && window.hitRatio <= 1 &&
                          window.missProp != cudaAccessPropertyPersisting;
    if (!is_valid) return report(cudaErrorInvalidValue);
    known->access_window = window;
  } else {
    return report(cudaErrorInvalidValue);
  }
  return report_if(Streams::get().replace(stream, *known), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  const auto known = Streams::get().find(stream);
  if (!known) return report(cudaErrorInvalidResourceHandle);
  if (!value) return report(cudaErrorInvalidValue);
  if (attribute == cudaLaunchAttributePriority) {
    value->priority = known->priority;
  } else if (attribute == cudaLaunchAttributeAccessPolicyWindow) {
    value->accessPolicyWindow = known->access_window;
  } else {
    return report(cudaErrorInvalidValue);
  }
  return report(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache() { return report(cudaSuccess); }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return report(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const RuntimeCall call;
  if (!is_own_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (StreamOrder* const order = stream_order()) {
    if (Streams::get().find(stream)) order->destroyed(stream);
  }
  return report_if(Streams::get().destroy(stream), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const RuntimeCall call;
  if (!Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  auto& capture = StreamCapture::get();
  cudaError_t error = capture.forbid(stream);
  if (cuda_simulator::is_default_stream(stream)) {
    error = capture.forbid_default_stream();
    if (error == cudaSuccess) error = capture.forbid_for_all();
  }
  if (error != cudaSuccess) return report(error);
  if (StreamOrder* const order = stream_order()) order->host_waits_for_stream(stream);
  return report(cudaSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const RuntimeCall call;
  if (!Events::has(event) || !Streams::get().find(stream))
    return report(cudaErrorInvalidResourceHandle);
  StreamCapture::get().wait(stream, event->captured);
  if (StreamOrder* const order = stream_order()) order->stream_waits(stream, event->clock);
  return report(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (!Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  const auto call = [=] {
    host_function_runs(stream);
    function(user_data);
  };
  if (!StreamCapture::get().take(stream, call, cudaGraphNodeTypeHost)) call();
  return report(cudaSuccess);
}

// CUDA refuses a callback in a captured stream.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags) {
  if (!Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  if (!callback || flags != 0) return report(cudaErrorInvalidValue);
  if (const cudaError_t error = StreamCapture::get().forbid(stream)) return report(error);
  host_function_runs(stream);
  callback(stream, cuda_simulator::ErrorState::get().lost(), user_data);
  return report(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = Events::create();
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  (*event)->device = current_device();
  return report(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!Events::has(event)) return report(cudaErrorInvalidResourceHandle);
  Events::destroy(event);
  return report(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const RuntimeCall call;
  const auto known = Streams::get().find(stream);
  if (!Events::has(event) || !known) return report(cudaErrorInvalidResourceHandle);
  if (known->device != event->device) {
    return refuse_device(
        "an event of " + device_text(event->device) + " is recorded in a stream of " +
        device_text(known->device) +
        ". That call fails (cudaErrorInvalidResourceHandle), because an event belongs to "
        "the device that was current when it was created. Call cudaSetDevice(" +
        std::to_string(known->device) + ") before cudaEventCreate.");
  }
  event->captured = StreamCapture::get().point(stream);
  if (event->captured.capture != 0) return report(cudaSuccess);
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  if (StreamOrder* const order = stream_order()) event->clock = order->record(stream);
  return report(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const RuntimeCall call;
  if (!Events::has(event)) return report(cudaErrorInvalidResourceHandle);
  if (StreamOrder* const order = stream_order()) order->host_waits(event->clock);
  return report(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  const auto has_time = [](cudaEvent_t event) {
    return Events::has(event) && event->recorded && event->timed;
  };
  if (!has_time(start) || !has_time(stop)) return report(cudaErrorInvalidResourceHandle);
  if (start->device != stop->device) {
    return refuse_device(
        "cudaEventElapsedTime gets an event of " + device_text(start->device) +
        " and an event of " + device_text(stop->device) +
        ". That call fails (cudaErrorInvalidResourceHandle), because two devices have different "
        "clocks. Record both events on one device.");
  }
  *ms = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return report(cudaSuccess);
}
