// There and back, step 03: pinned memory and streams, so that copies overlap with kernels
//
// The bus carries data both ways at the same time, and neither way needs the multiprocessors. The
// arrays are cut into chunks of 4 MB, and the chunks are dealt to three streams. Within a stream
// copy, kernel and copy follow each other; between streams nothing is ordered. So while one chunk
// comes in, the one before it is worked on, and the one before that goes out.
//
// Cost: as host_pinned, but both directions at once: half the time, at best. The arrays must be
// pinned: a copy from other memory waits for the host.

#include "host/host_map.h"
#include "host/stream.h"
#include "vector_map.h"

#include "common/cuda_check.h"

#include <algorithm>
#include <array>

constexpr std::size_t kChunk = 1048576;  // elements: 4 MiB; starts a float4
constexpr std::size_t kStreams = 3;      // one chunk coming, one in work, one going

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

bool wants_pinned_memory() { return true; }
