#include "subset_sum.h"

// All columns, that of no items too, a byte per sum.
TableLayout table_layout(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), item_count + 1};
}
