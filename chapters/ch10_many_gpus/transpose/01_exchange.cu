// Transpose, step 01: pack, exchange, unpack
//
// The first GPU has the upper rows of `in`, and also the upper rows of `out`. But the upper rows of
// `out` are the left columns of `in`, and every GPU has a part of these columns. So each GPU has a
// block of elements for every other GPU: an all-to-all exchange.
//
// Pack: a GPU transposes its rows, so the block for each other GPU is contiguous. Exchange: a peer
// copy for each pair of GPUs. Unpack: each received block is contiguous in memory, but the rows of
// all blocks belong next to each other. So a GPU copies many short rows.
//
// Cost: (G - 1) / G of the matrix cross the links. These elements are also read and written twice
// in a GPU's own memory, and the three phases do not overlap. Next: transpose/02_nccl.cu.

#include "transpose/block_transpose.h"
#include "transpose/matrix_transpose.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols) {
  const std::size_t count = gpus.size();
  const std::size_t width = static_cast<unsigned>(cols), height = static_cast<unsigned>(rows);
  for (std::size_t g = 0; g < count; ++g) {
    const RowRange own = rows_of(rows, count, g);
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    for (std::size_t to = 0; to < count; ++to) {
      const RowRange kept = rows_of(cols, count, to);
      const ConstBlock in{slabs[g].d_in + kept.begin, width};
      const Block packed{slabs[g].d_packed + kept.begin * own.size, own.size};
      const Block stays{slabs[g].d_out + own.begin, height};
      queue_block_transpose(in, to == g ? stays : packed, own.size, kept.size, gpus[g].stream);
    }
  }
  wait_for_each_other(gpus);  // no GPU still uses the blocks of the previous call

  for (std::size_t g = 0; g < count; ++g) {
    const RowRange sent = rows_of(rows, count, g);
    // Starts with the next GPU, so no two GPUs send to the same GPU at the same time.
    for (std::size_t to = (g + 1) % count; to != g; to = (to + 1) % count) {
      const RowRange kept = rows_of(cols, count, to);
      const std::size_t bytes = kept.size * sent.size * sizeof(float);
      CUDA_CHECK(cudaMemcpyPeerAsync(slabs[to].d_received + kept.size * sent.begin, gpus[to].device,
                                     slabs[g].d_packed + kept.begin * sent.size, gpus[g].device,
                                     bytes, gpus[g].stream));
    }
  }
  wait_for_each_other(gpus);  // all blocks have arrived

  for (std::size_t g = 0; g < count; ++g) {
    const RowRange kept = rows_of(cols, count, g);
    for (std::size_t from = 0; from < count; ++from) {
      const RowRange sent = rows_of(rows, count, from);
      if (from == g) continue;
      CUDA_CHECK(cudaMemcpy2DAsync(slabs[g].d_out + sent.begin, height * sizeof(float),
                                   slabs[g].d_received + kept.size * sent.begin,
                                   sent.size * sizeof(float), sent.size * sizeof(float), kept.size,
                                   cudaMemcpyDeviceToDevice, gpus[g].stream));
    }
  }
}
