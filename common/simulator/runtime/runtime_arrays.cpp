// The runtime API's functions for CUDA's arrays.

#include "runtime/arrays.h"

#include "runtime/copies.h"
#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/kernel_limits.h"
#include "runtime/live_handles.h"
#include "runtime/stream_capture.h"
#include "trace/tracer.h"

#include <cstdint>
#include <string>

namespace cuda_simulator {

bool is_live(const cudaArray* array) {
  return LiveHandles<cudaArray>::get().contains(const_cast<cudaArray*>(array));
}

int channels_of(const cudaChannelFormatDesc& format) {
  return 1 + (format.y > 0) + (format.z > 0) + (format.w > 0);
}

std::size_t texel_bytes_of(const cudaChannelFormatDesc& format) {
  const int bits = format.x;
  const bool has_kind =
      format.f == cudaChannelFormatKindFloat
          ? bits == 32
          : format.f == cudaChannelFormatKindSigned || format.f == cudaChannelFormatKindUnsigned;
  if (!has_kind || (bits != 8 && bits != 16 && bits != 32)) return 0;
  const int channels = channels_of(format);
  const cudaChannelFormatDesc whole = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                       channels > 3 ? bits : 0, format.f};
  const bool is_whole = format.y == whole.y && format.z == whole.z && format.w == whole.w;
  return is_whole && channels != 3 ? static_cast<std::size_t>(bits / 8 * channels) : 0;
}

namespace {

bool fits_device(const cudaExtent& extent, bool is_layered) {
  const auto [width, height, depth] = extent;
  const cudaDeviceProp& device = device_properties();
  const auto fits = [](std::size_t count, int most) {
    return count <= static_cast<std::size_t>(most);
  };
  const auto fits_all = [&, width = width, height = height, depth = depth](const int(&most)[3]) {
    return fits(width, most[0]) && fits(height, most[1]) && fits(depth, most[2]);
  };
  if (is_layered) return depth > 0 && fits_all(device.maxTexture2DLayered);
  if (depth > 0) return height > 0 && fits_all(device.maxTexture3D);
  return fits(width, device.maxTexture2D[0]) && fits(height, device.maxTexture2D[1]);
}

cudaError_t allocate_array(cudaArray_t* array, const cudaChannelFormatDesc* format,
                           const cudaExtent& extent, unsigned flags) {
  if (!array || !format || extent.width == 0 || flags > cudaArrayLayered ||
      !fits_device(extent, flags == cudaArrayLayered)) {
    return report(cudaErrorInvalidValue);
  }
  const std::size_t texel_bytes = texel_bytes_of(*format);
  if (texel_bytes == 0) return report(cudaErrorInvalidChannelDescriptor);
  cudaArray made = {nullptr, *format, extent, flags, texel_bytes};
  void* memory = nullptr;
  const cudaError_t error = allocate(&memory, made.row_bytes() * made.rows() * made.slices(),
                                     MemoryKind::device, "cudaMallocArray");
  if (error != cudaSuccess) return error;
  made.memory = static_cast<unsigned char*>(memory);
  *array = LiveHandles<cudaArray>::get().add(new cudaArray(made));
  return cudaSuccess;
}

// The part of an array that a copy accesses.
struct Part {
  const cudaArray* array;
  std::size_t x, y;  // bytes, rows

  unsigned char* memory() const { return array->memory + y * array->row_bytes() + x; }
};

cudaError_t refuse(const char* reason, const CopyCall& call) {
  if (Tracer* const tracer = program_tracer())
    tracer->copy_refused({reason, "too_many_bytes"}, call.function,
                         reinterpret_cast<std::uintptr_t>(call.caller));
  return report(cudaErrorInvalidValue);
}

// Null if the copy is possible. One row may go on in the next one, if `is_range`.
const char* obstacle(const Part& part, std::size_t bytes, std::size_t rows, bool is_range) {
  if (!is_live(part.array)) return "There is no array with this handle: was it freed?";
  const std::size_t row_bytes = part.array->row_bytes(), all_rows = part.array->rows();
  const bool begins_inside = part.x < row_bytes && part.y < all_rows;
  const bool ends_inside =
      begins_inside && (is_range ? bytes <= (all_rows - part.y) * row_bytes - part.x
                                 : bytes <= row_bytes - part.x && rows <= all_rows - part.y);
  return ends_inside ? nullptr
                     : "Its rows leave the array. Offsets and widths of rows are in bytes, not in "
                       "elements.";
}

cudaError_t copy_to_array(const Part& to, const void* from, const Rows& rows, bool is_range,
                          cudaMemcpyKind kind, const CopyOrder& order, const CopyCall& call) {
  if (const char* const reason = obstacle(to, rows.bytes, rows.count, is_range))
    return refuse(reason, call);
  return copy(to.memory(), from, rows, kind, order, call);
}

cudaError_t copy_from_array(void* to, const Part& from, const Rows& rows, bool is_range,
                            cudaMemcpyKind kind, const CopyOrder& order, const CopyCall& call) {
  if (const char* const reason = obstacle(from, rows.bytes, rows.count, is_range))
    return refuse(reason, call);
  return copy(to, from.memory(), rows, kind, order, call);
}

std::size_t row_bytes_of(const cudaArray* array) { return is_live(array) ? array->row_bytes() : 0; }

}  // namespace
}  // namespace cuda_simulator

using cuda_simulator::captured_or_done;
using cuda_simulator::copy_from_array;
using cuda_simulator::copy_to_array;
using cuda_simulator::LiveHandles;
using cuda_simulator::order_of_host_copy;
using cuda_simulator::report;
using cuda_simulator::row_bytes_of;
using cuda_simulator::StreamCapture;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
  return cuda_simulator::allocate_array(array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return cuda_simulator::allocate_array(array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return report(cudaSuccess);
  if (!cuda_simulator::is_live(array)) return report(cudaErrorInvalidValue);
  const cudaError_t error = cudaFree(array->memory);
  LiveHandles<cudaArray>::get().remove(array);
  return error;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (!cuda_simulator::is_live(array)) return report(cudaErrorInvalidResourceHandle);
  if (format) *format = array->format;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return report(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return copy_to_array({to, x, y}, from, {width, height, row_bytes_of(to), pitch}, false, kind,
                       order_of_host_copy(from),
                       {"cudaMemcpy2DToArray", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)](cudaStream_t on) {
    return copy_to_array({to, x, y}, from, {width, height, row_bytes_of(to), pitch}, false, kind,
                         {on}, {"cudaMemcpy2DToArrayAsync", caller});
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return copy_from_array(to, {from, x, y}, {width, height, pitch, row_bytes_of(from)}, false, kind,
                         order_of_host_copy(to),
                         {"cudaMemcpy2DFromArray", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)](cudaStream_t on) {
    return copy_from_array(to, {from, x, y}, {width, height, pitch, row_bytes_of(from)}, false,
                           kind, {on}, {"cudaMemcpy2DFromArrayAsync", caller});
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return copy_to_array({to, x, y}, from, {bytes, 1, bytes, bytes}, true, kind,
                       order_of_host_copy(from),
                       {"cudaMemcpyToArray", __builtin_return_address(0)});
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  return copy_from_array(to, {from, x, y}, {bytes, 1, bytes, bytes}, true, kind,
                         order_of_host_copy(to),
                         {"cudaMemcpyFromArray", __builtin_return_address(0)});
}
