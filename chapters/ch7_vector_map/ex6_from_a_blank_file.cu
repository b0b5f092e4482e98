// Exercise 6: from a blank file (10 minutes)
//
// The map, without looking at a stage: a kernel with tanf and sinf, and its launch.
//
// Goal: right for every n, 0 too; one thread per element, 4 sectors per request; an exception if
// the launch is refused.
// Check:   ./workbook check ch7_ex6
// See:     ./workbook run ch7_ex6
//
// Predict first: n may be more than 2^31. Which of your variables must be wider than an int?

#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;

// TODO: the kernel. (about 6 lines)
void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream: <<<blocks, kThreads, 0, stream>>>. (about 4 lines)
}

// The CUDA Programming Guide's bounds: tanf 4 ulp, sinf 2 ulp. An ulp of 3 sin x is 2 of sin x or
// more, so 3 times 2 of these are at most 3; the product's rounding is 1/2, the sum's at most 1.
Accuracy accuracy() { return {4 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }
