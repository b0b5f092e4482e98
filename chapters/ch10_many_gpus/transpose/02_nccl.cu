// Transpose, step 02: exchange with NCCL
//
// transpose/01_exchange.cu with NCCL instead of the peer copies. NCCL has no call for an all-to-all
// exchange, but it has ncclSend, ncclRecv and groups. All calls of a group are one operation; their
// order does not matter. Outside of a group a send would wait for its receive, and the first GPU
// would wait forever.
//
// Cost: the bytes of transpose/01_exchange.cu over the links. A kernel sends them through NCCL's
// own buffers; the copy engines are not used. Next: transpose/03_fused.cu.
//
// Requires: NCCL

#include "transpose/block_transpose.h"
#include "transpose/matrix_transpose.h"
#include "nccl_communicators.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols) {
  const std::size_t count = gpus.size();
  const std::size_t width = static_cast<unsigned>(cols), height = static_cast<unsigned>(rows);
  const std::vector<ncclComm_t>& communicators = nccl_communicators(gpus);
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

  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t g = 0; g < count; ++g) {
    const RowRange sent = rows_of(rows, count, g), kept = rows_of(cols, count, g);
    for (std::size_t peer = (g + 1) % count; peer != g; peer = (peer + 1) % count) {
      const RowRange to = rows_of(cols, count, peer), from = rows_of(rows, count, peer);
      check_nccl(ncclSend(slabs[g].d_packed + to.begin * sent.size, to.size * sent.size, ncclFloat,
                          static_cast<int>(peer), communicators[g], gpus[g].stream),
                 "ncclSend");
      check_nccl(ncclRecv(slabs[g].d_received + kept.size * from.begin, kept.size * from.size,
                          ncclFloat, static_cast<int>(peer), communicators[g], gpus[g].stream),
                 "ncclRecv");
    }
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");

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
