#pragma once

#include "common/harness/measurement.h"

#include <cstddef>
#include <string>
#include <vector>

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

// The main() of every program. Checks the operation, then times it, on a GPU. Returns the exit code
// (common/harness/program.h).
int run_program(const Operation& operation, int argc, const char* const* argv);

// What a program measured beside a plain copy on the GPU, in the same process; each with the bytes
// that it has to move.
Measurement beside_copy(int n, const TimedWork& own, const TimedWork& copy,
                        std::vector<std::string> notes = {});

// A device-to-device copy with cudaMemcpyAsync of `bytes`, queued on the default stream.
void queue_copy(float* d_to, const float* d_from, std::size_t bytes);
