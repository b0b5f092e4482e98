#include "harness/divided_field.h"
#include "harness/problem.h"
#include "harness/stencil_reference.h"
#include "stencil.h"

#include "common/harness/compare.h"
#include "common/harness/random.h"

#include <stdexcept>

namespace {

constexpr int kSteps = 11;

class Stencil final : public Problem {
 public:
  using Asked = OnGpus<std::optional<std::size_t>>;
  using Size = OnGpus<std::size_t>;
  static std::vector<OptionHelp> options() { return {{"--size N", "how many values"}, kGpusHelp}; }
  static Asked parse(Options& options) {
    // At least one value per GPU.
    const auto size = options.integer<std::size_t>("--size", kMostGpus, 1'000'000'000);
    return {size, parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    return sizes_on_gpus<std::size_t>(asked, 10007, 10007, is_timed);
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    const double bytes = 4.0 * static_cast<double>(size.size);
    return {format("%zu values", size.size), 2 * bytes / *size.gpus, 3 * bytes,
            largest_that_fits("--size", static_cast<double>(size.size))};
  }

  Stencil(const Size& size, std::uint64_t seed)
      : h_values_(random_floats(size.size, seed)), group_(*size.gpus), field_(group_, h_values_) {}

  void run() override {
    stencil(group_.gpus(), field_.fields(), kSteps);
    group_.wait();
  }

  std::string check() override {
    const std::vector<float> expected = stencil_reference(h_values_, kSteps);
    const std::vector<float> values = field_.to_host(kSteps);
    if (const auto mismatch = find_mismatch(values, expected)) {
      throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, "values", values, expected));
    }
    return format("%zu values after %d steps on %s, all right", values.size(), kSteps,
                  group_.text().c_str());
  }

 private:
  const std::vector<float> h_values_;
  const GpuGroup group_;
  const DividedField field_;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<Stencil>(argc, argv);
}
