#include "harness/problem.h"
#include "harness/reference.h"
#include "many_gpus.h"

#include "common/harness/compare.h"
#include "common/harness/read_probe.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

// A dot product on several GPUs. The ceiling is a read probe of each GPU's share, on all of them.
class DotOnGpus final : public TimedProblem {
 public:
  using Asked = OnGpus<std::optional<std::size_t>>;
  using Size = OnGpus<std::size_t>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "how many doubles per vector"}, kGpusHelp};
  }
  static Asked parse(Options& options) {
    const auto size = options.integer<std::size_t>("--size", 1, static_cast<long long>(kMaxSize));
    return {size, parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    constexpr std::size_t kToCheck = 1'000'003;   // a prime: no number of GPUs divides it
    constexpr std::size_t kToTime = 100'000'000;  // a vector is 13 times the L2 cache of an H200
    return sizes_on_gpus<std::size_t>(asked, kToCheck, kToTime, is_timed);
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    // Computed in floating point, so no size overflows.
    const double bytes = 2 * static_cast<double>(size.size) * sizeof(double);
    return {format("two vectors of %zu doubles", size.size),
            bytes / std::min(*size.gpus, most_gpus()) + static_cast<double>(kWorkspaceBytes), bytes,
            largest_that_fits("--size", static_cast<double>(size.size))};
  }

  DotOnGpus(const Size& size, std::uint64_t seed)
      : asked_gpus_(*size.gpus),
        h_a_(size.size, seed, cpu_cores()),
        h_b_(size.size, seed + 1, cpu_cores()),
        group_(std::min(*size.gpus, most_gpus())),
        vectors_(group_, h_a_.data(), h_b_.data(), size.size),
        d_dot_(made_on(group_.gpus()[0], [] { return DeviceBuffer<double>(1); })) {
    d_dot_.fill_bytes(0xff);
    group_.wait();
  }

  void run() override {
    dot_product(group_.gpus(), vectors_.shares(), d_dot_.data());
    group_.wait();
  }

  std::string check() override {
    const DotReference expected = dot_product_reference(h_a_.data(), h_b_.data(), h_a_.size());
    const double dot = d_dot_.to_host().front();
    const double tolerance = dot_tolerance(longest_chain(h_a_.size()), expected.magnitude);
    if (find_mismatch<double>({dot}, {expected.dot}, 0, tolerance)) {
      throw std::runtime_error(format("WRONG for %s: expected %.17g, at most %.2g off; got %s.",
                                      text().c_str(), expected.dot, tolerance,
                                      printed(dot, 17).c_str()));
    }
    return format("%s, within %.2g of the CPU's result\n  result %.17g = %a", text().c_str(),
                  tolerance, dot, dot);
  }

  Timings time() override {
    const std::vector<Share>& shares = vectors_.shares();
    const auto probe = [&] {
      for (std::size_t g = 0; g < group_.size(); ++g) {
        const Gpu& gpu = group_.gpus()[g];
        CUDA_CHECK(cudaSetDevice(gpu.device));
        if (shares[g].size == 0) continue;
        char* const d_unused = static_cast<char*>(shares[g].d_workspace) + kWorkspaceBytes - 16;
        read_probe(shares[g].d_a, shares[g].size, d_unused, gpu.stream);
        read_probe(shares[g].d_b, shares[g].size, d_unused, gpu.stream);
      }
    };
    const auto own = [&] { dot_product(group_.gpus(), shares, d_dot_.data()); };
    const std::vector<Timing> timings = time_on_gpus(group_.gpus(), {probe, own});
    return {timings[1], timings[0]};
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = 2 * static_cast<double>(h_a_.size()) * sizeof(double);
    return {text(),
            {{"size", std::to_string(h_a_.size())}, {"gpus", std::to_string(asked_gpus_)}},
            {timings.own, bytes},
            {"read probe", "read_probe", {timings.ceiling, bytes}}};
  }

 private:
  std::string text() const {
    const std::size_t idle = group_.size() - std::min(group_.size(), h_a_.size());
    return format(
        "two vectors of %zu doubles on %s%s", h_a_.size(), group_.text().c_str(),
        idle > 0 ? format(", %zu of them idle: fewer doubles than GPUs", idle).c_str() : "");
  }

  int asked_gpus_;
  const HostVector h_a_, h_b_;
  const GpuGroup group_;
  const DividedVectors vectors_;
  DeviceBuffer<double> d_dot_;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<DotOnGpus>(argc, argv);
}
