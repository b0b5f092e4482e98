// Map of host arrays, step 03: pinned memory and streams, so that copies overlap with kernels
//
// The bus carries data in both directions at the same time, and copies do not need the
// multiprocessors. The program divides the arrays into chunks of 4 MB and distributes the chunks
// among three streams. Within a stream, copy, kernel and copy run in order; different streams are
// not ordered. So while one chunk is copied to the GPU, the kernel maps the previous one, and the
// one before that is copied back.
//
// Cost: that of host_pinned, but both directions at the same time: half the time, at best. The
// arrays must be pinned: a copy from other memory waits for the host.

#include "host/host_map.h"
#include "host/stream.h"
#include "vector_map.h"

#include "common/cuda_check.h"

#include <algorithm>
#include <array>

constexpr std::size_t kChunk = 1048576;  // elements: 4 MiB; a multiple of a float4
constexpr std::size_t kStreams = 3;      // one chunk copied in, one mapped, one copied out

void host_map(const float* h_x, float* h_y, float* d_x, float* d_y, std::size_t n) {
  std::array<Stream, kStreams> streams;
  for (std::size_t first = 0; first < n; first += kChunk) {
    const cudaStream_t stream = streams[first / kChunk % kStreams].get();
    const std::size_t count = std::min(kChunk, n - first), bytes = count * sizeof(float);
    CUDA_CHECK(cudaMemcpyAsync(d_x + first, h_x + first, bytes, cudaMemcpyHostToDevice, stream));
    vector_map(d_x + first, d_y + first, count, stream);
    CUDA_CHECK(cudaMemcpyAsync(h_y + first, d_y + first, bytes, cudaMemcpyDeviceToHost, stream));
  }
  for (const Stream& stream : streams) CUDA_CHECK(cudaStreamSynchronize(stream.get()));
}

bool needs_pinned_memory() { return true; }
