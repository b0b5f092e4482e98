#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// Which of the sums 0, 1, ..., target can be made from `items`, each used at most once?
//
// The table has a column for each item, and in it an entry for each sum i:
//
//   F[i, 0] = (i == 0)
//   F[i, j] = F[i, j-1]  or  F[i - s_j, j-1],  the second only if s_j <= i
//
// Fills d_table, in device memory, aligned as cudaMalloc aligns, of table_layout().bytes() bytes,
// and returns where in it the last column is. What was there before does not matter.
//
// `items` are in the host's memory: whole numbers from 0 to 2^31 - 1. An item of 0 changes nothing,
// and neither does one larger than target. target is from 0 to kMaxTarget. A thread makes `chunk`
// entries, from 1 to 32, where the stage leaves that open. Returns once the work is queued on
// `stream`; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream = nullptr);

// How a stage keeps its table. A stage that does not define table_layout() gets it from
// harness/stage_facts/: all columns, a byte per sum.
struct TableLayout {
  bool is_packed;  // 32 sums per word, sum 0 in the lowest bit of word 0; else one byte per sum
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
