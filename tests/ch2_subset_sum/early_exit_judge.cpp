#include "chapters/ch2_subset_sum/early_exit.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::is_reachable) is_reachable;
}

Reachable is_reachable(const std::vector<int>& items, int target, void* d_table,
                       cudaStream_t stream) {
  return transcribed([&] { return submission::is_reachable(items, target, d_table, stream); });
}
