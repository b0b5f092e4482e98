// The function is still empty.
// Rejected by: MatchesReference/n1_threads256.*\b1 of 1 elements are wrong
// Rejected by: MatchesReference/n257_threads256.*\b257 of 257 elements.*All of y is as it was

#include "saxpy.h"

void saxpy(float /*a*/, const float* /*d_x*/, float* /*d_y*/, int /*n*/, int /*threads*/,
           cudaStream_t /*stream*/) {}
