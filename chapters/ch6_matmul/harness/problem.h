#pragma once

// The main() of every stage: checks matmul() against the reference, then times it, on a GPU, beside
// fma_rate(). Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong options.
int run_program(int argc, const char* const* argv);
