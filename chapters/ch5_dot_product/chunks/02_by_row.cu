// A chunk of rows in shared memory, step 02: the matrix stored by row
//
// A thread's row is one piece, and a chunk of rows too. But in each turn of the loop neighbouring
// threads bring floats that are a whole row apart, and put them as far apart in shared memory.
//
// Cost: with 10 columns, 40 bytes a row, a warp's load is 32 sectors, one a thread, and uses 4
// bytes of each. Ten turns want the same 40 sectors eight times over; whether they come from memory
// each time is up to the L1 cache. A step of 10 words in shared memory is a conflict of 2 ways.

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
    __syncthreads();  // a row is used by another thread than the one that has brought it
    if (threadIdx.x < count) {
      const unsigned row = (threadIdx.x + 1) % count;
      for (int c = 0; c < columns; ++c) sum += chunk[row * columns + c];
    }
    __syncthreads();  // nobody brings the next chunk while this one is used
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
