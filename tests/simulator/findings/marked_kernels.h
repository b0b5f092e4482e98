#pragma once

#include "marked_cases.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

// Runs the cases of a file:
//
//     INSTANTIATE_TEST_SUITE_P(
//         SharedRaces, MarkedKernels,
//         marked_kernels({{"reverse", launch(reverse, 1, 64), "race on values"}}), case_name);

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

testing::internal::ParamGenerator<MarkedKernel> marked_kernels(std::vector<MarkedFile> files);
inline testing::internal::ParamGenerator<MarkedKernel> marked_kernels(
    std::vector<MarkedCase> cases, const char* file = __builtin_FILE()) {
  return marked_kernels(std::vector<MarkedFile>{{file, std::move(cases)}});
}

inline std::string case_name(const testing::TestParamInfo<MarkedKernel>& info) {
  return info.param.the_case.name;
}

// Starts the test program again for a statement that ends it with the exit code 1. Returns the
// simulator's report.
std::string report_at_end(const std::function<void()>& statement, const std::string& words);
