#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>

#include <vector>

// Pairs of kernels, a correct one and one with a bug, to compare the traced simulator with
// compute-sanitizer. The kernels of a pair differ only by the bug: `template <bool kRight>`.
//
// A mark states the finding in the wrong kernel. It is at the end of the line that the finding must
// name, or in a line of its own above it:
//     // wrong in <pair>: <kind of the finding>
// agreement.py reads the marks. docs/simulator.md has the kinds; two more are `cuda_error`, for a
// call of the runtime that fails in that line, and `missed`, for a bug that the simulator is known
// not to find. `false alarm in <pair>: <kind>` marks a finding that the simulator is known to
// report in the correct kernel; `tool's alarm in <pair>: <tool>` marks a tool of compute-sanitizer
// that wrongly reports the correct kernel.
struct Pair {
  const char* name;
  const char* mistake;  // what the wrong kernel does, in a few words
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

// Most kernels read one int per thread and write one.
using InOutKernel = void (*)(const int* in, int* out);

// Launches the kernel; `in` has numbers from 0 to 6, `out` has zeros.
void run_kernel(InOutKernel kernel, int blocks, int block_threads);

template <InOutKernel kKernel, int kBlocks = 1, int kBlockThreads = 128>
void run() {
  run_kernel(kKernel, kBlocks, kBlockThreads);
}

// Device memory with zeros.
template <typename T>
DeviceBuffer<T> zeros(std::size_t size) {
  DeviceBuffer<T> buffer(size);
  buffer.fill_bytes(0);
  return buffer;
}
