#pragma once

#include <cstddef>

// The computations of the kernels of textbook_kernels.cu, as loops over blocks and threads that are
// cut where the kernel has a barrier. They are in a .cpp file, because host code in a .cu file is
// traced.
namespace serial {

void naive_product(const float* a, const float* b, float* c, int n);
void tiled_product(const float* a, const float* b, float* c, int n);
void tree_sums(const float* in, float* out, std::size_t blocks);
void shuffle_sums(const float* in, float* out, std::size_t warps);
void collatz(int* steps, int size);

}  // namespace serial
