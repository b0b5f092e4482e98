#include "harness/program.h"

#include "saxpy.h"

#include "common/cuda_check.h"
#include "common/harness/program.h"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace {

constexpr int kTimedSize = 100000000;  // 400 MB an array, 6 times the L2 cache of an H200

const std::vector<OptionHelp> kOptions{
    {"--n N", "elements of each array"},
    {"--threads T", "threads of a block; libraries and the CPU choose for themselves"},
};

struct Arguments {
  std::optional<int> n, threads;
};

Arguments parse(Options& options) {
  const auto to_int = [](std::optional<long long> value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  };
  return {to_int(options.integer("--n", 1, kMaxSize)),
          to_int(options.integer("--threads", 1, kMaxSize))};
}

// Throws UsageError if the arrays do not fit.
void require_memory_for(int n, const Arrays& arrays, const DeviceInfo& device) {
  require_memory(device, {4.0 * n * arrays.on_device, 4.0 * n * arrays.on_host},
                 format("arrays of %d elements", n), [&](double share) {
                   return format("The largest --n that fits is about %.0f.", n * share);
                 });
}

// What to do about a launch that was refused for its block size; else empty.
std::string advice(const CudaError& error, const std::optional<int>& threads) {
  int most = 0;
  if (!threads || cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess) {
    return "";
  }
  const bool refused =
      error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
  if (!refused || *threads <= most) return "";
  return format("\nA block has at most %d threads; --threads asks for %d.", most, *threads);
}

void run(const Operation& operation, const Program& program, const Arguments& arguments) {
  const bool timed = program.is_timed && operation.measure;
  if (program.prints_csv && !timed) {
    throw UsageError("--csv asks for a time, and an exercise on an operation of its own has none.");
  }
  const int threads = arguments.threads.value_or(operation.threads);

  // A timed run checks its own result too, so the size to time need not be checked before.
  const int checked_n = timed ? operation.checked_n : arguments.n.value_or(operation.checked_n);
  require_memory_for(checked_n, operation.checked, program.device);
  operation.check(checked_n, threads);
  if (!program.prints_csv) {
    std::printf("%s: %d elements, all right\n", program.name.c_str(), checked_n);
  }
  if (timed) {
    const int n = arguments.n.value_or(kTimedSize);
    require_memory_for(n, operation.measured, program.device);
    print_measurement(program, operation.measure(n, threads));
  }
}

}  // namespace

int run_program(const Operation& operation, int argc, const char* const* argv) {
  return program_main(
      argc, argv, kOptions, parse, [&](const Program& program, const Arguments& arguments) {
        try {
          run(operation, program, arguments);
        } catch (const CudaError& error) {
          throw CudaError(error.code(), error.what() + advice(error, arguments.threads));
        }
      });
}

Measurement beside_copy(int n, const TimedWork& own, const TimedWork& copy,
                        std::vector<std::string> notes) {
  return {format("%d floats an array", n),
          {{"n", std::to_string(n)}},
          own,
          {"plain copy", "copy", copy},
          kGbPerS,
          std::move(notes)};
}

void queue_copy(float* d_to, const float* d_from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(d_to, d_from, bytes, cudaMemcpyDeviceToDevice));
}
