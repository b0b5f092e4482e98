#pragma once

#include "runtime/stream_order.h"

#include "simulator/runtime_api.h"

#include <cstddef>
#include <vector>

// Copies and fills, as the runtime's functions of many names make them.

namespace cuda_simulator {

enum class Side { host, device };

// Whether [pointer, pointer + bytes) lies there. Pinned and managed memory count as either side.
bool lies_on(Side side, const void* pointer, std::size_t bytes);

// Notes a __device__ or __constant__ variable whose address the program has asked for.
void add_known_symbol(const void* symbol, std::size_t bytes);

// What a copy is called, and by whom, for the tracer.
struct CopyCall {
  const char* function;
  const void* caller;
};

// How a copy is ordered: by its stream; and whether the host has waited for it.
struct CopyOrder {
  cudaStream_t stream = nullptr;
  bool host_waits = false;
  bool waits_for_all = false;  // on the devices that take part, as cudaMemcpyPeer
};

struct Rows {
  std::size_t bytes, count, destination_pitch, source_pitch;
};

cudaError_t copy(void* destination, const void* source, const Rows& rows, cudaMemcpyKind kind,
                 const CopyOrder& order, const CopyCall& call);
cudaError_t fill(void* pointer, int value, const Rows& rows, cudaStream_t stream,
                 const CopyCall& call);

}  // namespace cuda_simulator
