#pragma once

#include "runtime/stream_order.h"

#include "simulator/memory_3d.h"
#include "simulator/runtime_api.h"

#include <cstddef>
#include <vector>

// Copies and fills, for the runtime's many functions.

namespace cuda_simulator {

enum class Side { host, device };

// Returns whether [pointer, pointer + bytes) is there. Pinned and managed memory count as both
// sides.
bool lies_on(Side side, const void* pointer, std::size_t bytes);

// Whether it is in memory of cudaMalloc().
bool is_on_device(const void* pointer);

// Records a __device__ or __constant__ variable whose address the program has requested.
void add_known_symbol(const void* symbol, std::size_t bytes);

// Counts a copy of a variable, to or from `other`, for bytes_handled_by_host().
void count_copy_of_symbol(const void* other, std::size_t bytes);
// Counts an access of traced host code to managed or pinned memory.
void count_host_access(std::size_t bytes);

// The name of the copy's function and its caller, for the tracer.
struct CopyCall {
  const char* function;
  const void* caller;
};

// The stream that orders a copy, and whether the host waits for it.
struct CopyOrder {
  cudaStream_t stream = nullptr;
  bool host_waits = false;
  bool waits_for_all = false;  // on all devices involved, as in cudaMemcpyPeer
};

// For a copy without a stream from or to `other`, whose other end is in device memory, or for a
// fill. The host waits unless the memory is on a device.
CopyOrder order_of_host_copy(const void* other);

struct Rows {
  std::size_t bytes, count, destination_pitch, source_pitch;
};

cudaError_t copy(void* destination, const void* source, const Rows& rows, cudaMemcpyKind kind,
                 const CopyOrder& order, const CopyCall& call);
// A slice has rows at a constant distance on each side; each slice is copied separately.
cudaError_t copy_slices(const cudaMemcpy3DParms& parameters, const CopyOrder& order,
                        const CopyCall& call);
// Stores the lowest 1, 2 or 4 bytes of `value` in each element.
cudaError_t fill(void* pointer, int value, const Rows& rows, const CopyOrder& order,
                 const CopyCall& call, std::size_t element_bytes = 1);

}  // namespace cuda_simulator
