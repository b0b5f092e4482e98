#include "harness/problem.h"
#include "split_channels.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class SplitChannels final : public Problem, public ArrayOptions {
 public:
  static std::vector<OptionHelp> options() {
    return {{"--n N", "frames of the recording"}, {"--threads T", "threads of a block"}};
  }
  static Asked parse(Options& options) {
    const auto frames = options.integer<int>("--n", 1, kMaxFrames);
    return {frames, options.integer<int>("--threads", 1, kMaxFrames)};
  }
  static Sizes<ArraySize> sizes(const Asked& asked, bool) {
    const ArraySize size{asked.n.value_or(100003), asked.threads.value_or(256)};
    return {size, size};
  }
  static MemoryNeed memory_need(const ArraySize& size, bool) {
    const double bytes = 4.0 * kChannels * size.n;
    return {format("a recording of %d frames", size.n), 2 * bytes, 3 * bytes,
            largest_that_fits("--n", size.n)};
  }

  SplitChannels(const ArraySize& size, std::uint64_t seed)
      : size_(size),
        h_in_(random_floats(kChannels * static_cast<std::size_t>(size.n), seed)),
        d_in_(h_in_),
        d_out_(h_in_.size()) {
    d_out_.fill_bytes(0xff);  // NaN marks elements that are not written
  }

  void run() override {
    launch_with(size_.threads,
                [&] { split_channels(d_in_.data(), d_out_.data(), size_.n, size_.threads); });
  }

  std::string check() override {
    const std::size_t frames = size_.n;
    std::vector<float> expected(h_in_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = h_in_[i % frames * kChannels + i / frames];
    }
    const std::vector<float> h_out = d_out_.to_host();
    if (const auto mismatch = find_mismatch(h_out, expected)) {
      throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, "out", h_out, expected));
    }
    return format("%d frames, all right", size_.n);
  }

 private:
  ArraySize size_;
  std::vector<float> h_in_;
  DeviceBuffer<float> d_in_, d_out_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<SplitChannels>(argc, argv); }
