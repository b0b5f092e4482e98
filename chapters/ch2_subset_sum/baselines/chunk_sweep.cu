// Chunk sweep: how many entries should a thread compute?
//
// The table of stage 02 with chunks of 1, 2, 4, 8, 16 and 32.
//
// Cost: the cost of stage 02, for each chunk.

#include "chunks.h"

std::vector<int> chunks_to_try() { return {1, 2, 4, 8, 16, 32}; }
