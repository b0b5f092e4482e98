// A chunk of rows in shared memory, step 02: the matrix stored by row
//
// The row of a thread is contiguous, and so is a chunk of rows. But in each iteration of the loop,
// consecutive threads load floats that are a whole row apart, and store them at the same distance
// in shared memory.
//
// Cost: with 10 columns, 40 bytes per row, a warp's load touches 32 sectors, one per thread, and
// uses 4 bytes of each sector. Ten iterations request the same 40 sectors eight times; the L1 cache
// determines how often they come from memory. A stride of 10 words in shared memory is a 2-way bank
// conflict.

#include "chunks/allow_shared_memory.h"
#include "chunks/chunks.h"

#include "common/cuda_check.h"

__global__ void chunks_by_row_kernel(const float* __restrict__ x, std::size_t rows, int columns,
                                     float* sums) {
  extern __shared__ float chunk[];  // row r begins at r * columns

  float sum = 0.0f;
  for (std::size_t first = 0; first < rows; first += kChunkRows) {
    const auto count = static_cast<unsigned>(min(rows - first, std::size_t{kChunkRows}));
    if (threadIdx.x < count) {
      for (int c = 0; c < columns; ++c) {
        chunk[threadIdx.x * columns + c] = x[(first + threadIdx.x) * columns + c];
      }
    }
    __syncthreads();  // a thread below uses a row that another thread loaded
    if (threadIdx.x < count) {
      const unsigned row = (threadIdx.x + 1) % count;
      for (int c = 0; c < columns; ++c) sum += chunk[row * columns + c];
    }
    __syncthreads();  // no thread loads the next chunk while this one is used
  }
  sums[blockIdx.x * kChunkRows + threadIdx.x] = sum;
}

Order order() { return Order::kRows; }

void read_chunks(const float* d_x, std::size_t rows, int columns, unsigned blocks, float* d_sums,
                 cudaStream_t stream) {
  const std::size_t shared_bytes = chunk_bytes(columns);
  allow_shared_memory(chunks_by_row_kernel, shared_bytes);
  chunks_by_row_kernel<<<blocks, kChunkRows, shared_bytes, stream>>>(d_x, rows, columns, d_sums);
  CUDA_CHECK(cudaGetLastError());
}
