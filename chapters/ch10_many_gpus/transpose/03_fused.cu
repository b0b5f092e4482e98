// Transpose, step 03: a fused kernel, which stores into the memory of the other GPUs
//
// With peer access no block has to be packed, sent and unpacked: a tile is loaded from the GPU's
// own memory, transposed in shared memory, and stored row by row into the memory of the GPU that
// keeps it. A row of a tile has 32 floats (128 bytes): four full sectors cross the link.
//
// A GPU's tiles for other GPUs take much longer than its tiles for itself. So 1/G of its thread
// blocks work on the tiles for each GPU: the links are busy from the first tile to the last.
//
// Cost: (G - 1) / G of the matrix cross the links, and each element is read once and written once.
// Next: transpose/04_overlapped.cu.

#include "transpose/block_transpose.h"
#include "transpose/matrix_transpose.h"
#include "peer_access.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

// For each GPU: the columns that it keeps, and the destination of their elements.
struct Destinations {
  Block out[kMostGpus];
  std::size_t col_begin[kMostGpus], cols[kMostGpus];
};

__global__ void transpose_fused_kernel(ConstBlock in, Destinations destinations, std::size_t rows,
                                       unsigned own, unsigned count) {
  const unsigned to = (own + blockIdx.x) % count;  // GPUs store to different GPUs at the same time
  const std::size_t tile = blockIdx.x / count, cols = destinations.cols[to];
  if (tile >= tiles_of(rows, cols)) return;
  const ConstBlock block{in.d_first + destinations.col_begin[to], in.pitch};
  transpose_tile(block, destinations.out[to], rows, cols, tile);
}

void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols) {
  require_peer_access(gpus, "ch10_many_gpus_transpose_exchange");
  const std::size_t count = gpus.size();
  wait_for_each_other(gpus);  // no GPU still reads the previous `out`

  for (std::size_t g = 0; g < count; ++g) {
    const RowRange own = rows_of(rows, count, g);
    if (own.size == 0) continue;
    Destinations destinations{};
    std::size_t to = 0;
    for (const Slab& slab : slabs) {
      const RowRange kept = rows_of(cols, count, to);
      destinations.out[to] = {slab.d_out + own.begin, static_cast<unsigned>(rows)};
      destinations.col_begin[to] = kept.begin;
      destinations.cols[to++] = kept.size;
    }
    // The tiles for each GPU: enough for the GPU that keeps the most columns.
    const std::size_t tiles = tiles_of(own.size, ceil_div(static_cast<unsigned>(cols), count));
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    const ConstBlock in{slabs[g].d_in, static_cast<unsigned>(cols)};
    const dim3 grid(static_cast<unsigned>(tiles * count)), block(kTileDim, kBlockRows);
    transpose_fused_kernel<<<grid, block, 0, gpus[g].stream>>>(
        in, destinations, own.size, static_cast<unsigned>(g), static_cast<unsigned>(count));
    CUDA_CHECK(cudaGetLastError());
  }
  wait_for_each_other(gpus);  // all GPUs have stored
}
