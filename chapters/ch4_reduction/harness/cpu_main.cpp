#include "harness/command_line.h"
#include "baselines/cpu.h"
#include "reduction.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/harness/read_probe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

// Random doubles, each chunk written first by the thread that will read it: a computer with several
// processors keeps memory near the core that touched it first.
class HostData {
 public:
  HostData(std::size_t size, unsigned threads) : values_(new double[size]), size_(size) {
    for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
      const std::vector<double> random = random_doubles(last - first, /*seed=*/chunk);
      std::copy(random.begin(), random.end(), values_.get() + first);
    });
  }
  const double* data() const { return values_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<double[]> values_;
  std::size_t size_;
};

// What the sum must be, and how far off it may be.
struct Expected {
  double sum, tolerance;

  Expected(const HostData& data, unsigned threads)
      : sum(log_likelihood_reference(data.data(), data.size())),
        tolerance(sum_tolerance(cpu_longest_chain(data.size(), threads)) * std::abs(sum)) {}

  // Throws std::runtime_error if the sum is wrong.
  void check(double actual) const {
    if (std::abs(actual - sum) <= tolerance) return;
    throw std::runtime_error(format("WRONG: expected %.17g, got %.17g.", sum, actual));
  }
};

Timing time_probe(const HostData& data) {
  DeviceBuffer<double> d_in(data.size());
  DeviceBuffer<char> d_workspace(kWorkspaceBytes);
  CUDA_CHECK(cudaMemcpy(d_in.data(), data.data(), d_in.size_bytes(), cudaMemcpyHostToDevice));
  return time_interleaved({[&] { read_probe(d_in.data(), d_in.size(), d_workspace.data()); }})[0];
}

}  // namespace

int main(int argc, char** argv) {
  return run_with_size(argc, argv, [](const Program& program, std::optional<std::size_t> asked) {
    const unsigned threads = cpu_threads();
    const std::size_t size = asked.value_or(program.is_timed ? kTimedSize : kCheckSize);
    require_memory_for(size, 1, program.device);  // for the probe
    const HostData data(size, threads);
    const Expected expected(data, threads);
    const auto run = [&] {
      expected.check(log_likelihood_on_cpu(data.data(), data.size(), threads));
    };
    run();
    if (!program.prints_csv) {
      std::printf("%s: %zu doubles on %u thread(s) of the CPU, equal to the reference\n",
                  program.name.c_str(), data.size(), threads);
    }
    if (program.is_timed) {
      const double bytes = static_cast<double>(data.size()) * sizeof(double);
      print_measurement(program,
                        measurement(data.size(), {time_on_cpu(run), bytes}, time_probe(data)));
    }
  });
}
