// The host side of every stage: the CPU runs a kernel and checks its result. Start with
// check_saxpy().

#include "saxpy.h"
#include "saxpy_operation.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"
#include "common/harness/launch_limits.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr float kA = kFactor<float>;

// Throws std::runtime_error if h_result is not a x + y.
void require_right(const std::vector<float>& h_result, const std::vector<float>& h_x,
                   const std::vector<float>& h_y) {
  std::size_t wrong = 0, i = 0;  // how many elements, and the first of them
  for (std::size_t at = h_result.size(); at-- > 0;) {
    if (is_saxpy(h_result[at], kA, h_x[at], h_y[at])) continue;
    i = at;
    ++wrong;
  }
  if (wrong == 0) return;
  const char* hint = h_result == h_y ? " y is unchanged. Did a kernel run at all?" : "";
  throw std::runtime_error(
      format("WRONG: %zu of %zu elements differ. The first is y[%zu]: expected %.9g, got %s.%s",
             wrong, h_result.size(), i, saxpy_reference(kA, h_x[i], h_y[i]),
             printed(h_result[i], 9).c_str(), hint));
}

void check_saxpy(int n, int threads) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/1);
  const std::vector<float> h_y = random_floats(n, /*seed=*/2);
  const std::size_t bytes = n * sizeof(float);

  // Allocate. A kernel uses the memory of the GPU. A DeviceBuffer calls cudaMalloc, and at the end
  // of its scope cudaFree.
  DeviceBuffer<float> d_x(n), d_y(n);

  // Copy the input to the GPU. The call returns when h_x can be changed again; the kernel below is
  // queued behind the copy.
  CUDA_CHECK(cudaMemcpy(d_x.data(), h_x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y.data(), h_y.data(), bytes, cudaMemcpyHostToDevice));

  // Launch. This does not wait: it queues the kernel and returns. It throws if the launch is
  // impossible, for example with too many threads per block.
  saxpy(kA, d_x.data(), d_y.data(), n, threads);

  // Wait for the kernel. If it failed while it ran, for example with a bad address, this call
  // returns the error.
  CUDA_CHECK(cudaDeviceSynchronize());

  // Copy the result back, and compare it with that of the CPU.
  std::vector<float> h_result(n), h_x_after(n);
  CUDA_CHECK(cudaMemcpy(h_result.data(), d_y.data(), bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(h_x_after.data(), d_x.data(), bytes, cudaMemcpyDeviceToHost));
  require_right(h_result, h_x, h_y);
  if (find_mismatch(h_x_after, h_x)) throw std::runtime_error("WRONG: the kernel changed x.");
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Times by the CPU's clock: of the launch alone, and of the copies to the GPU and back.
std::vector<std::string> time_by_the_host(const std::vector<float>& h_x, std::vector<float>& h_y,
                                          DeviceBuffer<float>& d_x, DeviceBuffer<float>& d_y,
                                          int threads) {
  const std::size_t bytes = h_x.size() * sizeof(float);
  CUDA_CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  CUDA_CHECK(cudaMemcpy(d_x.data(), h_x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y.data(), h_y.data(), bytes, cudaMemcpyHostToDevice));
  const double there_ms = ms_since(start);

  saxpy(kA, d_x.data(), d_y.data(), static_cast<int>(h_x.size()), threads);
  const double launched_ms = ms_since(start);
  CUDA_CHECK(cudaDeviceSynchronize());
  const double done_ms = ms_since(start);

  CUDA_CHECK(cudaMemcpy(h_y.data(), d_y.data(), bytes, cudaMemcpyDeviceToHost));
  const double back_ms = ms_since(start);

  return {format("the launch returned after %.4f ms, the kernel was done after %.4f ms",
                 launched_ms - there_ms, done_ms - there_ms),
          format("x and y to the GPU took %.1f ms, y back %.1f ms", there_ms, back_ms - done_ms)};
}

// saxpy moves three floats per element: it reads x and y, and writes y. Its runs alternate with a
// copy of one and a half times as many floats, which moves the same number of bytes. The copy also
// restores the old values of y, so every run does the same work and the last result can be checked.
Measurement measure_saxpy(int n, int threads) {
  const std::size_t copied = static_cast<std::size_t>(n) + n / 2;
  const std::vector<float> h_x = random_floats(n, /*seed=*/3);
  std::vector<float> h_y = random_floats(copied, /*seed=*/4);
  DeviceBuffer<float> d_x(h_x), d_y(copied);
  const DeviceBuffer<float> d_old_y(h_y);
  h_y.resize(n);

  const std::vector<Timing> timings = time_interleaved({
      [&] { queue_copy(d_y.data(), d_old_y.data(), d_old_y.size_bytes()); },
      [&] { saxpy(kA, d_x.data(), d_y.data(), n, threads); },
  });
  std::vector<float> h_result = d_y.to_host();
  h_result.resize(n);
  require_right(h_result, h_x, h_y);
  const TimedWork own{timings[1], 3.0 * n * sizeof(float)};
  const TimedWork copy{timings[0], 2.0 * static_cast<double>(d_old_y.size_bytes())};
  return {format("%d floats per array", n),
          {{"n", std::to_string(n)}},
          own,
          {"plain copy", "copy", copy},
          kGbPerS,
          time_by_the_host(h_x, h_y, d_x, d_y, threads)};
}

// The command line: the sizes that it asks for, and the memory that they need.
struct Stage {
  struct Size {
    int n, threads;
  };
  struct Asked {
    std::optional<int> n;
    int threads;
  };
  static Asked parse(Options& options) {
    const auto n = options.integer<int>("--n", 1, kMaxSize);
    return {n, options.integer<int>("--threads", 1, kMaxSize).value_or(kBlock)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    const auto [checked, timed] = sizes_of<int>(asked.n, kToCheck, kToTime, is_timed);
    return {{checked, asked.threads}, {timed, asked.threads}};
  }
  static MemoryNeed memory_need(const Size& size, bool is_timed) {
    const double bytes = sizeof(float) * static_cast<double>(size.n);
    return {format("arrays of %d elements", size.n), (is_timed ? 4 : 2) * bytes, 4 * bytes,
            largest_that_fits("--n", size.n)};
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto check = [](const Stage::Size& size) {
    launch_in_blocks_of(size.threads, [&] { check_saxpy(size.n, size.threads); });
    return all_right(size.n);
  };
  const auto measure = [](const Stage::Size& size) { return measure_saxpy(size.n, size.threads); };
  const std::vector<OptionHelp> options{{kElements.option, kElements.meaning},
                                        {kThreads.option, kThreads.meaning}};
  return program_main(argc, argv, options, Stage::parse,
                      [&](const Program& program, const Stage::Asked& asked) {
                        check_then_time<Stage>(program, asked, check, measure);
                      });
}
