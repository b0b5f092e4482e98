// A chunk of rows in shared memory, step 01: the matrix stored by column
//
// In each column of the chunk, consecutive threads load consecutive floats and store them in
// consecutive words of shared memory. The columns themselves are far apart.
//
// Cost: a warp's load touches 4 sectors and uses all their bytes. Next: chunks/02_by_row.cu.

#include "chunks/allow_shared_memory.h"
#include "chunks/chunks.h"

#include "common/cuda_check.h"

__global__ void chunks_by_column_kernel(const float* __restrict__ x, std::size_t rows, int columns,
                                        float* sums) {
  extern __shared__ float chunk[];  // column c begins at c * kChunkRows

  float sum = 0.0f;
  for (std::size_t first = 0; first < rows; first += kChunkRows) {
    const auto count = static_cast<unsigned>(min(rows - first, std::size_t{kChunkRows}));
    if (threadIdx.x < count) {
      for (int c = 0; c < columns; ++c) {
        chunk[c * kChunkRows + threadIdx.x] = x[c * rows + first + threadIdx.x];
      }
    }
    __syncthreads();  // a thread below uses a row that another thread loaded
    if (threadIdx.x < count) {
      const unsigned row = (threadIdx.x + 1) % count;
      for (int c = 0; c < columns; ++c) sum += chunk[c * kChunkRows + row];
    }
    __syncthreads();  // no thread loads the next chunk while this one is used
  }
  sums[blockIdx.x * kChunkRows + threadIdx.x] = sum;
}

Order order() { return Order::kColumns; }

void read_chunks(const float* d_x, std::size_t rows, int columns, unsigned blocks, float* d_sums,
                 cudaStream_t stream) {
  const std::size_t shared_bytes = chunk_bytes(columns);
  allow_shared_memory(chunks_by_column_kernel, shared_bytes);
  chunks_by_column_kernel<<<blocks, kChunkRows, shared_bytes, stream>>>(d_x, rows, columns, d_sums);
  CUDA_CHECK(cudaGetLastError());
}
