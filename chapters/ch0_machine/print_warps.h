#pragma once

// Launches `blocks` blocks of `threads` threads, of which each warp prints one line, with its first
// and its last thread, and waits until they are printed:
//
//   block 2, warp 1: threads 32 to 39
//
// The lines come in any order. Throws CudaError if the launch fails, as with more threads than a
// block may have.
//
// Exercise 8 defines this one function.
void print_warps(int blocks, int threads);
