#include "chapters/ch5_dot_product/dot_product.h"

#include "common/grading/transcripts/transcript.h"

#include <algorithm>

namespace submission {
[[gnu::weak]] decltype(::dot_product) dot_product;
[[gnu::weak]] decltype(::sum_order) sum_order;
}  // namespace submission

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream) {
  transcribed([&] { submission::dot_product(d_a, d_b, d_dot, size, d_workspace, stream); });
}

// The tolerance of a sum depends on this: no answer can claim a longer chain than all additions in
// sequence. 64: sums of empty slots.
SumOrder sum_order(std::size_t size) {
  SumOrder order = transcribed([&] {
    return submission::sum_order ? submission::sum_order(size) : SumOrder{size, false};
  });
  order.longest_chain = std::min(order.longest_chain, size + 64);
  return order;
}
