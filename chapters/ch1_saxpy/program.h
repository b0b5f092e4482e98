#pragma once

#include "common/gpu_timer.h"

#include <cstddef>
#include <string>
#include <vector>

// What was measured of an operation, and of a plain copy on the GPU in the same process.
struct Measurement {
  Timing own, copy;
  double own_bytes, copy_bytes;    // that each has to move
  std::vector<std::string> notes;  // lines for the reader, not in the CSV table
};

// How many arrays of n elements a run needs at one time.
struct Arrays {
  int on_device, on_host;
};

// What a program of this chapter does. Sizes are in elements of 4 bytes.
struct Operation {
  // Runs it once on n elements. Throws std::runtime_error if the result is wrong.
  void (*check)(int n, int threads);
  Arrays checked;
  // Times it. Throws std::runtime_error if the result is wrong. Null: there is nothing to time.
  Measurement (*measure)(int n, int threads) = nullptr;
  Arrays measured = {0, 0};
  int checked_n = 100003;  // a prime: no block and no vector divides it
  int threads = 256;       // of a block, without --threads
};

// The main() of every program: options, messages, exit codes. Checks the operation, then times it,
// on a GPU. Returns 0, 1 for a wrong result or a CUDA error, 2 for wrong options.
int run_program(const Operation& operation, int argc, const char* const* argv);

// A device-to-device copy with cudaMemcpyAsync of `bytes`, queued on the default stream.
void queue_copy(float* d_to, const float* d_from, std::size_t bytes);
