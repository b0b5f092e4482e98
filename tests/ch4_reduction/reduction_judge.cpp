#include "chapters/ch4_reduction/reduction.h"

#include "common/grading/transcripts/transcript.h"

#include <algorithm>

namespace submission {
[[gnu::weak]] decltype(::log_likelihood) log_likelihood;
[[gnu::weak]] decltype(::sum_order) sum_order;
}  // namespace submission

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* d_workspace,
                    cudaStream_t stream) {
  transcribed([&] { submission::log_likelihood(d_in, d_sum, size, d_workspace, stream); });
}

// The tolerance of a sum follows from this, so it is limited to the chain of a sequential sum. 64:
// sums of empty slots.
SumOrder sum_order(std::size_t size) {
  SumOrder order = transcribed([&] {
    return submission::sum_order ? submission::sum_order(size) : SumOrder{size, false};
  });
  order.longest_chain = std::min(order.longest_chain, size + 64);
  return order;
}
