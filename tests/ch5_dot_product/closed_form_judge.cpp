#include "chapters/ch5_dot_product/closed_form.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::integer_dot) integer_dot;
[[gnu::weak]] decltype(::closed_form) closed_form;
}  // namespace submission

void integer_dot(const unsigned* d_a, const unsigned* d_b, unsigned long long* d_dot,
                 std::size_t size, cudaStream_t stream) {
  transcribed([&] { submission::integer_dot(d_a, d_b, d_dot, size, stream); });
}

unsigned long long closed_form(unsigned long long n) {
  return transcribed([&] { return submission::closed_form(n); });
}
