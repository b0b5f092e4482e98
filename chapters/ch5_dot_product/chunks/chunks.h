#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Every block reads the whole matrix through shared memory, one chunk of rows at a time: all
// threads of a block load a chunk together, and then each of them can use any row of it.

constexpr unsigned kChunkRows = 1024;  // one row per thread

// The layout of the matrix of `rows` x `columns` that a stage expects: one column after another, or
// one row after another.
enum class Order { kColumns, kRows };
Order order();

// Each of `blocks` blocks of kChunkRows threads loops over all chunks of the matrix at d_x. Thread
// t < count loads row t of a chunk and adds row (t + 1) % count to its sum; count is kChunkRows, or
// less in the last chunk. d_sums, of blocks * kChunkRows floats, receives the sums of the threads,
// block after block.
//
// Everything is in device memory; rows, columns and blocks are at least 1. A block uses
// chunk_bytes(columns) of shared memory. Returns once the work is queued on `stream`; throws
// std::runtime_error, with the sizes, if a block cannot have that much, and CudaError if the kernel
// cannot be launched.
void read_chunks(const float* d_x, std::size_t rows, int columns, unsigned blocks, float* d_sums,
                 cudaStream_t stream = nullptr);

constexpr std::size_t chunk_bytes(int columns) {
  return kChunkRows * static_cast<std::size_t>(columns) * sizeof(float);
}
