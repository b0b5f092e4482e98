#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_dot = the sum of a[i] * b[i] over the `size` whole numbers at d_a and at d_b; the sum of none
// is 0. Exact, and the same in any order, as long as the sum is below 2^64. Otherwise the contract
// of dot_product() in dot_product.h; there is no workspace.
void integer_dot(const unsigned* d_a, const unsigned* d_b, unsigned long long* d_dot,
                 std::size_t size, cudaStream_t stream = nullptr);

// What integer_dot() must give for a = 1, 2, ..., n and b = 2, 4, ..., 2 n. n is at most
// kMaxClosedForm.
unsigned long long closed_form(unsigned long long n);

// The largest n for which n (n + 1) (2 n + 1) is below 2^64.
constexpr unsigned long long kMaxClosedForm = 2'097'151;
