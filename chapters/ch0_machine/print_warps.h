#pragma once

// Launches `blocks` blocks of `threads` threads and waits for them. Each warp prints one line, with
// its first and its last thread:
//
//   block 2, warp 1: threads 32 to 39
//
// The lines come in any order. Throws CudaError if the launch fails, for example with too many
// threads per block.
//
// Exercise 8 defines this one function.
void print_warps(int blocks, int threads);
