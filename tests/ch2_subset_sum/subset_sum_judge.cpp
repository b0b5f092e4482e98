#include "chapters/ch2_subset_sum/subset_sum.h"

#include "common/grading/transcripts/transcript.h"

#include <cstddef>

namespace submission {
[[gnu::weak]] decltype(::subset_sum) subset_sum;
[[gnu::weak]] decltype(::table_layout) table_layout;
}  // namespace submission

// Addresses differ in the judge's process, so the transcript has the column's offset in the table.
const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream) {
  const std::ptrdiff_t offset = transcribed([&] {
    const void* const column = submission::subset_sum(items, target, d_table, chunk, stream);
    return static_cast<const char*>(column) - static_cast<const char*>(d_table);
  });
  return static_cast<const char*>(d_table) + offset;
}

TableLayout table_layout(std::size_t item_count, int target) {
  return transcribed([&] {
    return submission::table_layout ? submission::table_layout(item_count, target)
                                    : TableLayout{false, byte_column_bytes(target), item_count + 1};
  });
}
