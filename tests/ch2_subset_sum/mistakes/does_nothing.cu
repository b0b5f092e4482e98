// The function is still empty.
// Rejected by: MatchesReference/no_items.*1001 of 1001 entries are wrong

#include "subset_sum.h"

const void* subset_sum(const std::vector<int>&, int, void* d_table, int, cudaStream_t) {
  return d_table;
}

TableLayout table_layout(std::size_t, int target) { return {false, byte_column_bytes(target), 1}; }
