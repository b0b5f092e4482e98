// The function is still empty.
// Rejected by: MatchesReference/0\b.*got -?nan

#include "dot_product.h"

void dot_product(const double*, const double*, double*, std::size_t, void*, cudaStream_t) {}

SumOrder sum_order(std::size_t size) { return {size, false}; }
