#pragma once

#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

// Kernels with a mistake, each beside the right one, from which it differs by `right` alone. What
// must be found is written at the line that the finding must name:
//
//     __global__ void reverse(int* out, bool right) {
//       __shared__ int values[64];
//       values[threadIdx.x] = 1;  // finds: race store by 32
//       if (right) __syncthreads();
//       out[threadIdx.x] = values[63 - threadIdx.x];  // finds: race load by 31, 64 times
//     }
//
//     INSTANTIATE_TEST_SUITE_P(
//         SharedRaces, MarkedKernels,
//         marked_kernels({{"reverse", launch(reverse, 1, 64), "race on values"}}), case_name);
//
// The runner reads the marks from the source file. The right kernel must pass. In the wrong one
// must be found what is marked, at these lines, in this order, and nothing else; and the device
// must be left with the error of that kind of finding. A mark is
//
//     finds[ in CASES]: KIND[ OPERATION[ by THREAD[ of block BLOCK]]][, N times]
//
// CASES are names with commas between them, which may hold `*`; without them it is the case that
// has the name of the kernel around the line. THREAD and BLOCK are `5` or `3,2,1`; a thread without
// a block is one of block 0. Two places of one line are joined by `and`. N is the finding's count.
// A mark in a line of its own is for the next line of code. A kernel in which nothing is wrong has
// the KIND `nothing`.

// Device memory for kernels; zeros.
struct Buffers {
  int *in, *out;  // 1024 elements
  int* count;     // 16 elements
};

using Launch = std::function<void(const Buffers&, bool right)>;

struct MarkedCase {
  std::string name;
  Launch launch;
  // Of the wrong kernel: what a finding's message and its facts say, a line each, with "\n" before
  // and behind. Each `...` stands for any words.
  std::string says = "";
  std::size_t findings = 1;
};

struct MarkedFile {
  std::string path;
  std::vector<MarkedCase> cases;
};

struct MarkedKernel {
  std::shared_ptr<const MarkedFile> file;
  MarkedCase the_case;
};
inline void PrintTo(const MarkedKernel& kernel, std::ostream* out) { *out << kernel.the_case.name; }

class MarkedKernels : public testing::TestWithParam<MarkedKernel> {};

// With `out`, or with `in` and `out`.
Launch launch(void (*kernel)(int* out, bool right), int blocks, int block_threads,
              std::size_t shared_bytes = 0);
Launch launch(void (*kernel)(int* in, int* out, bool right), int blocks, int block_threads);

testing::internal::ParamGenerator<MarkedKernel> marked_kernels(std::vector<MarkedCase> cases,
                                                               const char* file = __builtin_FILE());

inline std::string case_name(const testing::TestParamInfo<MarkedKernel>& info) {
  return info.param.the_case.name;
}
