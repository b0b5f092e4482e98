#include "harness/problem.h"

#include "saxpy.h"

#include "common/cuda_check.h"

#include <utility>

std::vector<OptionHelp> ArrayOptions::options() {
  return {{"--n N", "elements of each array"},
          {"--threads T", "threads of a block; libraries and the CPU choose their own number"}};
}

ArrayOptions::Asked ArrayOptions::parse(Options& options) {
  const auto n = options.integer<int>("--n", 1, kMaxSize);
  return {n, options.integer<int>("--threads", 1, kMaxSize)};
}

Sizes<ArraySize> ArrayOptions::sizes(const Asked& asked, bool is_timed) {
  constexpr int kToCheck = 100003;    // a prime: no block and no vector divides it
  constexpr int kToTime = 100000000;  // 400 MB per array, 6 times the L2 cache of an H200
  const auto [checked_n, timed_n] = sizes_of(asked.n, kToCheck, kToTime, is_timed);
  const int threads = asked.threads.value_or(256);
  return {{checked_n, threads}, {timed_n, threads}};
}

MemoryNeed arrays_of(int n, int on_device, int on_host) {
  return {format("arrays of %d elements", n), 4.0 * n * on_device, 4.0 * n * on_host,
          largest_that_fits("--n", n)};
}

std::string all_right(int n) { return format("%d elements, all right", n); }

void launch_with(int threads, const std::function<void()>& launch) {
  try {
    launch();
  } catch (const CudaError& error) {
    int most = 0;
    const bool refused =
        error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
    if (!refused ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess ||
        threads <= most) {
      throw;
    }
    const std::string limit =
        format("\nA block has at most %d threads; --threads asks for %d.", most, threads);
    throw CudaError(error.code(), (error.what() + limit).c_str());
  }
}

Measurement beside_copy(int n, const TimedWork& own, const TimedWork& copy,
                        std::vector<std::string> notes) {
  return {format("%d floats per array", n),
          {{"n", std::to_string(n)}},
          own,
          {"plain copy", "copy", copy},
          kGbPerS,
          std::move(notes)};
}

namespace {

struct Stage : ArrayOptions {
  static MemoryNeed memory_need(const ArraySize& size, bool is_timed) {
    return arrays_of(size.n, /*on_device=*/is_timed ? 4 : 2, /*on_host=*/4);
  }
};

}  // namespace

int run_program(int argc, const char* const* argv, void (*check)(int n, int threads),
                Measurement (*measure)(int n, int threads)) {
  const auto check_size = [&](const ArraySize& size) {
    launch_with(size.threads, [&] { check(size.n, size.threads); });
    return all_right(size.n);
  };
  const auto measure_size = [&](const ArraySize& size) { return measure(size.n, size.threads); };
  return program_main(argc, argv, Stage::options(), Stage::parse,
                      [&](const Program& program, const ArrayOptions::Asked& asked) {
                        check_then_time<Stage>(program, asked, check_size, measure_size);
                      });
}
