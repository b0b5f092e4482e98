// The function is still empty.
// Rejected by: MatchesReference/1x1\b.*\b1 of 1 elements are wrong
// Rejected by: MatchesReference/257x131.*\b33667 of 33667 elements are wrong

#include "transpose.h"

void transpose(const float* /*d_in*/, float* /*d_out*/, int /*rows*/, int /*cols*/,
               cudaStream_t /*stream*/) {}
