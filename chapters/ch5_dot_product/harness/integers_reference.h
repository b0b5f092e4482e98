#pragma once

// 2 * (1^2 + 2^2 + ... + n^2) = n (n + 1) (2 n + 1) / 3, modulo 2^64: the dot product of 1, 2, ...,
// n and 2, 4, ..., 2 n. One of the three factors is a multiple of 3. The division comes before the
// multiplications, because a product that overflows cannot be divided any more. n is below 2^62.
constexpr unsigned long long twice_the_sum_of_squares(unsigned long long n) {
  unsigned long long a = n, b = n + 1, c = 2 * n + 1;
  if (a % 3 == 0) {
    a /= 3;
  } else if (b % 3 == 0) {
    b /= 3;
  } else {
    c /= 3;
  }
  return a * b * c;
}

// The largest n for which the sum is below 2^64.
constexpr unsigned long long kLargestExactN = 3'024'616;
