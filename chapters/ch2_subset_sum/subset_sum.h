#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// Computes which of the sums 0, 1, ..., target can be made from `items`, each used at most once.
//
// The table has a column for each item, and in it an entry for each sum i:
//
//   F[i, 0] = (i == 0)
//   F[i, j] = F[i, j-1]  or  F[i - s_j, j-1],  the second only if s_j <= i
//
// Fills d_table, in device memory, aligned as by cudaMalloc, of table_layout().bytes() bytes, and
// returns the address of its last column. The old contents do not matter.
//
// `items` are in host memory: integers from 0 to 2^31 - 1. An item of 0 changes nothing, and
// neither does an item larger than target. target is from 0 to kMaxTarget. A thread computes
// `chunk` entries, from 1 to 32, if the stage lets the caller choose. Returns once the work is
// queued on `stream`; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream = nullptr);

// The layout of a stage's table. A stage that does not define table_layout() gets all columns, one
// byte per sum, from subset_sum.cpp.
struct TableLayout {
  bool is_packed;  // 32 sums per word, sum 0 in the lowest bit of word 0; or one byte per sum
  std::size_t column_bytes;  // a multiple of 16; bits of sums past the target are 0
  std::size_t columns;
  std::size_t bytes() const { return columns * column_bytes; }
};
TableLayout table_layout(std::size_t item_count, int target);

constexpr int kMaxTarget = 2'000'000'000;  // an index may go one grid past it, and still fits

// The bytes of a column of `target` + 1 entries, rounded up to 16.
constexpr std::size_t byte_column_bytes(int target) {
  return (static_cast<std::size_t>(target) + 16) / 16 * 16;
}
constexpr std::size_t packed_column_bytes(int target) {
  return (static_cast<std::size_t>(target) + 128) / 128 * 16;
}

// The layout of a table that keeps every column, that of no items too, with one byte per sum.
inline TableLayout all_columns(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), item_count + 1};
}
