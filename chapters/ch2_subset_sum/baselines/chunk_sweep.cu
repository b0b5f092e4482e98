// A sweep of stage 02: how many entries a thread should make
//
// The table of stage 02 with chunks of 1 to 32, each the double of the one before.
//
// Cost: that of stage 02, for each chunk.

#include "chunks.h"

std::vector<int> chunks_to_try() { return {1, 2, 4, 8, 16, 32}; }
