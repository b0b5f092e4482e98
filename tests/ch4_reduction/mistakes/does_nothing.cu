// The function is still empty.
// Rejected by: MatchesReference/0\b.*got -?nan

#include "reduction.h"

void log_likelihood(const double* /*d_in*/, double* /*d_sum*/, std::size_t /*size*/,
                    void* /*d_workspace*/, cudaStream_t /*stream*/) {}

SumOrder sum_order(std::size_t size) { return {size, false}; }
