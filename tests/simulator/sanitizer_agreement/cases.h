#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>

#include <vector>

// Pairs of kernels, a right one and one with a mistake, to compare the traced simulator with
// compute-sanitizer. A pair differs by the mistake and nothing else: `template <bool kRight>`.
//
// What the simulator must find in the wrong one stands behind the line that it must name, or above
// it, in a line of its own:
//     // wrong in <pair>: <kind of the finding>
// agreement.py reads these. The kinds are docs/simulator.md's; besides there are `cuda_error`, a
// call of the runtime that fails in that line, and `missed`, which stands for a mistake that the
// simulator is known to pass over. What it is known to report in a right one begins with `false
// alarm in`; `tool's alarm in <pair>: <tool>` is what one of compute-sanitizer's tools wrongly
// reports there.
struct Pair {
  const char* name;
  const char* mistake;  // what the wrong one does, in a few words
  void (*right)();
  void (*wrong)();
};

std::vector<Pair> global_memory_pairs();
std::vector<Pair> array_pairs();
std::vector<Pair> shared_race_pairs();
std::vector<Pair> global_race_pairs();
std::vector<Pair> initialisation_pairs();
std::vector<Pair> barrier_pairs();

inline void finish_kernel() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

// Most kernels take an int a thread and give one.
using InOutKernel = void (*)(const int* in, int* out);

// Launches it; `in` holds numbers from 0 to 6, `out` zeros.
void run_kernel(InOutKernel kernel, int blocks, int block_threads);

template <InOutKernel kKernel, int kBlocks = 1, int kBlockThreads = 128>
void run() {
  run_kernel(kKernel, kBlocks, kBlockThreads);
}

// Device memory that holds zeros.
template <typename T>
DeviceBuffer<T> zeros(std::size_t size) {
  DeviceBuffer<T> buffer(size);
  buffer.fill_bytes(0);
  return buffer;
}
