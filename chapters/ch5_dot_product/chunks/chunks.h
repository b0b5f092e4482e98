#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Every block reads a whole matrix, one chunk of rows at a time, through shared memory: all threads
// of a block load a chunk together, and then each of them can use any row of it.

constexpr unsigned kChunkRows = 1024;  // one row per thread

// How a stage wants the matrix of `rows` x `columns` stored: one column after another, or one row
// after another.
enum class Order { kColumns, kRows };
Order order();

// Each of `blocks` blocks of kChunkRows threads goes through all chunks of the matrix at d_x.
// Thread t < count adds up row (t + 1) % count of each chunk, of which it has loaded row t; count
// is kChunkRows, or less in the last chunk. d_sums, of blocks * kChunkRows floats, has block after
// block what its threads have added up.
//
// Everything is in device memory; rows, columns and blocks are at least 1. A block takes
// chunk_bytes(columns) of shared memory. Returns once the work is queued on `stream`; throws
// std::runtime_error, which names the sizes, if a block cannot have that much, and CudaError if the
// kernel cannot be launched.
void read_chunks(const float* d_x, std::size_t rows, int columns, unsigned blocks, float* d_sums,
                 cudaStream_t stream = nullptr);

constexpr std::size_t chunk_bytes(int columns) {
  return kChunkRows * static_cast<std::size_t>(columns) * sizeof(float);
}
