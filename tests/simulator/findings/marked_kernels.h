#pragma once

#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

// Kernels with a bug. Each has a correct variant, which differs only where `right` is used. A mark
// is a comment at a line that a finding must name:
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
// The runner reads the marks from the source file. The correct kernel must have no finding. The
// wrong one must have the findings that are marked, with their places in the order of the marks,
// and no others, and it must leave the device with the error of that kind of finding. A mark is
//
//     finds[ in CASES]: KIND[ OPERATION[ by THREAD[ of block BLOCK]]][, N times]
//
// CASES are names, separated by commas, which can contain `*`. Without them the mark belongs to the
// case that has the name of the kernel around the line. THREAD and BLOCK are `5` or `3,2,1`; a
// thread without a block is in block 0. `and` joins two places in one line. N is the finding's
// count. A mark in a line of its own belongs to the next line of code. A kernel without a bug has
// the KIND `nothing`.

// Device memory for kernels, filled with zeros.
struct Buffers {
  int *in, *out;  // 1024 elements
  int* count;     // 16 elements
};

using Launch = std::function<void(const Buffers&, bool right)>;

struct MarkedCase {
  std::string name;
  Launch launch;
  // Part of a finding's message and of its facts, which are one line each, with "\n" before and
  // after them. `...` stands for any text.
  std::string text = "";
  std::size_t findings = 1;  // in the wrong kernel
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

// Launches the kernel with `out`, or with `in` and `out`.
Launch launch(void (*kernel)(int* out, bool right), int blocks, int block_threads,
              std::size_t shared_bytes = 0);
Launch launch(void (*kernel)(int* in, int* out, bool right), int blocks, int block_threads);

testing::internal::ParamGenerator<MarkedKernel> marked_kernels(std::vector<MarkedCase> cases,
                                                               const char* file = __builtin_FILE());

inline std::string case_name(const testing::TestParamInfo<MarkedKernel>& info) {
  return info.param.the_case.name;
}
