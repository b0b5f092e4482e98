#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_dot = the sum of a[i] * b[i] over the `size` integers at d_a and at d_b; an empty sum is 0.
// The result is exact, in any order, if the sum is below 2^64. Otherwise the contract of
// dot_product() in dot_product.h; there is no workspace.
void integer_dot(const unsigned* d_a, const unsigned* d_b, unsigned long long* d_dot,
                 std::size_t size, cudaStream_t stream = nullptr);

// The correct result of integer_dot() for a = 1, 2, ..., n and b = 2, 4, ..., 2 n. n is at most
// kMaxClosedForm.
unsigned long long closed_form(unsigned long long n);

// The largest n for which n (n + 1) (2 n + 1) is below 2^64.
constexpr unsigned long long kMaxClosedForm = 2'097'151;
