// The runtime API's copies and fills.

#include "runtime/copies.h"
#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/stream_capture.h"

#include "simulator/memory_3d.h"
#include "simulator/runtime_api.h"

using cuda_simulator::captured_or_done;
using cuda_simulator::copy_slices;
using cuda_simulator::CopyCall;
using cuda_simulator::CopyOrder;
using cuda_simulator::DeviceMemory;
using cuda_simulator::is_on_device;
using cuda_simulator::order_of_host_copy;
using cuda_simulator::report;
using cuda_simulator::StreamCapture;

namespace {

// A copy without a stream: the host waits for it, unless source and target are both on devices.
CopyOrder in_order(const void* destination, const void* source) {
  return {nullptr, !is_on_device(destination) || !is_on_device(source)};
}

cudaError_t fill_slices(const cudaPitchedPtr& memory, int value, cudaExtent extent,
                        const CopyOrder& order, const CopyCall& call) {
  cudaError_t error = report(cudaSuccess);
  for (std::size_t z = 0; z < extent.depth && error == cudaSuccess; ++z) {
    error = cuda_simulator::fill(static_cast<char*>(memory.ptr) + z * memory.ysize * memory.pitch,
                                 value, {extent.width, extent.height, memory.pitch, memory.pitch},
                                 order, call);
  }
  return error;
}

// Returns whether the memory belongs to the device in the call; host memory fits any device.
bool is_of_device(const void* pointer, int device) {
  if (!cuda_simulator::is_device(device)) return false;
  return !is_on_device(pointer) ||
         DeviceMemory::get().on_page_of(reinterpret_cast<std::uintptr_t>(pointer)).device == device;
}

}  // namespace

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                       cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, kind,
                              in_order(destination, source),
                              {"cudaMemcpy", __builtin_return_address(0)});
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)](cudaStream_t on) {
    return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, kind, {on},
                                {"cudaMemcpyAsync", caller});
  });
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, std::size_t bytes) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  if (!is_of_device(destination, destination_device) || !is_of_device(source, source_device))
    return report(cudaErrorInvalidDevice);
  return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, cudaMemcpyDefault,
                              {nullptr, false, /*waits_for_all=*/true},
                              {"cudaMemcpyPeer", __builtin_return_address(0)});
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, std::size_t bytes, cudaStream_t stream) {
  if (!is_of_device(destination, destination_device) || !is_of_device(source, source_device))
    return report(cudaErrorInvalidDevice);
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)](cudaStream_t on) {
    return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, cudaMemcpyDefault,
                                {on}, {"cudaMemcpyPeerAsync", caller});
  });
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                         cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return cuda_simulator::copy(
      destination, source, {width_bytes, height, destination_pitch, source_pitch}, kind,
      in_order(destination, source), {"cudaMemcpy2D", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)](cudaStream_t on) {
    return cuda_simulator::copy(destination, source,
                                {width_bytes, height, destination_pitch, source_pitch}, kind, {on},
                                {"cudaMemcpy2DAsync", caller});
  });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return cuda_simulator::fill(pointer, value, {bytes, 1, bytes, bytes}, order_of_host_copy(pointer),
                              {"cudaMemset", __builtin_return_address(0)});
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  return captured_or_done(
      stream,
      [=, caller = __builtin_return_address(0)](cudaStream_t on) {
        return cuda_simulator::fill(pointer, value, {bytes, 1, bytes, bytes}, {on},
                                    {"cudaMemsetAsync", caller});
      },
      cudaGraphNodeTypeMemset);
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return cuda_simulator::fill(pointer, value, {width_bytes, height, pitch, pitch},
                              order_of_host_copy(pointer),
                              {"cudaMemset2D", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  if (!parameters) return report(cudaErrorInvalidValue);
  const cudaMemcpy3DParms& p = *parameters;
  const bool is_between_devices =
      (p.dstArray || is_on_device(p.dstPtr.ptr)) && (p.srcArray || is_on_device(p.srcPtr.ptr));
  return copy_slices(p, {nullptr, !is_between_devices},
                     {"cudaMemcpy3D", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return captured_or_done(
      stream, [copied = *parameters, caller = __builtin_return_address(0)](cudaStream_t on) {
        return copy_slices(copied, {on}, {"cudaMemcpy3DAsync", caller});
      });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return fill_slices(memory, value, extent, order_of_host_copy(memory.ptr),
                     {"cudaMemset3D", __builtin_return_address(0)});
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return captured_or_done(
      stream,
      [=, caller = __builtin_return_address(0)](cudaStream_t on) {
        return fill_slices(memory, value, extent, {on}, {"cudaMemset3DAsync", caller});
      },
      cudaGraphNodeTypeMemset);
}
