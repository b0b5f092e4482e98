#include "harness/histogram_reference.h"
#include "harness/problem.h"
#include "histogram.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace {

class Histogram final : public Problem, public SizeOption {
 public:
  static std::vector<OptionHelp> options() { return {{"--size N", "how many bytes"}}; }
  static Asked parse(Options& options) {
    return options.integer<std::size_t>("--size", 1, std::numeric_limits<unsigned>::max());
  }
  static MemoryNeed memory_need(std::size_t size, bool) {
    const auto bytes = static_cast<double>(size);
    return {format("%zu bytes", size), bytes + kHistogramBins * sizeof(unsigned), 2 * bytes,
            largest_that_fits("--size", bytes)};
  }

  // Text: characters from ' ' to '~', so that most bins are empty.
  Histogram(std::size_t size, std::uint64_t seed)
      : h_in_(random_bytes(size, seed, ' ', '~')), d_in_(h_in_), d_bins_(kHistogramBins) {
    d_bins_.fill_bytes(0xff);
  }

  void run() override { histogram(d_in_.data(), d_bins_.data(), h_in_.size()); }

  std::string check() override {
    const std::vector<unsigned> expected = histogram_reference(h_in_);
    const std::vector<unsigned> h_bins = d_bins_.to_host();
    for (std::size_t bin = 0; bin < expected.size(); ++bin) {
      if (h_bins[bin] == expected[bin]) continue;
      throw std::runtime_error(
          format("WRONG: bins[%zu]: expected %u, got %u", bin, expected[bin], h_bins[bin]));
    }
    return format("%zu bytes, all right", h_in_.size());
  }

 private:
  std::vector<std::uint8_t> h_in_;
  DeviceBuffer<std::uint8_t> d_in_;
  DeviceBuffer<unsigned> d_bins_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Histogram>(argc, argv); }
