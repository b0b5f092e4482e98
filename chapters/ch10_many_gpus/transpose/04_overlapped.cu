// Transpose, step 04: overlapped: send one part while packing the next
//
// In transpose/01_exchange.cu the links are idle while a GPU packs and while it unpacks. Here a GPU
// packs in parts, and a second stream sends each part as soon as it is packed. The copy engines,
// which copy while the multiprocessors compute, send the part. The copy stores each row of the part
// in its final position, so nothing has to be unpacked.
//
// Cost: the bytes of transpose_exchange over the links, and the time to pack the first part. Unlike
// transpose_fused, this program works without peer access, through host memory.

#include "transpose/block_transpose.h"
#include "transpose/matrix_transpose.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

constexpr std::size_t kParts = 4;  // parts of the block that one GPU sends to another

void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols) {
  const std::size_t count = gpus.size(), width = static_cast<unsigned>(cols);
  const std::size_t height = static_cast<unsigned>(rows);
  wait_for_each_other(gpus);  // no GPU still reads the previous `out`

  for (std::size_t g = 0; g < count; ++g) {
    const RowRange own = rows_of(rows, count, g);
    const GpuEvent packed(gpus[g]), sent(gpus[g]);
    for (std::size_t part = 0; part < kParts; ++part) {
      for (std::size_t step = 1; step < count; ++step) {
        const std::size_t to = (g + step) % count;
        const RowRange kept = rows_of(cols, count, to);
        const std::size_t begin = share_begin(kept.size, kParts, part);
        const std::size_t size = share_begin(kept.size, kParts, part + 1) - begin;
        float* const d_part = slabs[g].d_packed + (kept.begin + begin) * own.size;
        queue_block_transpose({slabs[g].d_in + kept.begin + begin, width}, {d_part, own.size},
                              own.size, size, gpus[g].stream);
        CUDA_CHECK(cudaEventRecord(packed.get(), gpus[g].stream));
        CUDA_CHECK(cudaStreamWaitEvent(gpus[g].copies, packed.get()));
        CUDA_CHECK(cudaMemcpy2DAsync(slabs[to].d_out + begin * height + own.begin,
                                     height * sizeof(float), d_part, own.size * sizeof(float),
                                     own.size * sizeof(float), size, cudaMemcpyDefault,
                                     gpus[g].copies));
      }
    }
    const RowRange kept = rows_of(cols, count, g);
    queue_block_transpose({slabs[g].d_in + kept.begin, width}, {slabs[g].d_out + own.begin, height},
                          own.size, kept.size, gpus[g].stream);
    CUDA_CHECK(cudaEventRecord(sent.get(), gpus[g].copies));
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, sent.get()));
  }
  wait_for_each_other(gpus);  // all parts have arrived
}
