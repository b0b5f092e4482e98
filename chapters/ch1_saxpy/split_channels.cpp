#include "split_channels.h"

#include "array_operation.h"

#include "common/harness/launch_limits.h"
#include "common/harness/random.h"

// out(frames * c + f) = in(kChannels * f + c)
std::vector<float> split_channels_on_cpu(const std::vector<float>& in) {
  const std::size_t frames = in.size() / kChannels;
  std::vector<float> out(in.size());
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t c = 0; c < kChannels; ++c) out[frames * c + f] = in[kChannels * f + c];
  }
  return out;
}

namespace {

struct SplitChannels final : Computation {
  explicit SplitChannels(const Shape& shape)
      : frames(shape[0]), threads(static_cast<int>(shape[1])) {}

  // Random values, all of them different, so that a float in the wrong position is always found.
  void fill(std::uint64_t seed) override {
    in.host = random_floats(kChannels * frames, seed);
    for (std::size_t i = 0; i < in.host.size(); ++i) {
      in.host[i] = static_cast<float>(i) + 0.25f * in.host[i];
    }
  }
  void run(cudaStream_t stream) override {
    launch_in_blocks_of(
        threads, [&] { split_channels(in, out, static_cast<int>(frames), threads, stream); });
  }
  void expect() override { out.expect(split_channels_on_cpu(in.host)); }

  std::string text() const override { return format("a recording of %zu frames", frames); }
  std::string report() const override { return format("%zu frames, all right", frames); }

  std::size_t frames;
  int threads;
  Input<float> in{this, "in", kChannels * frames};
  Output<float> out{this, "out", kChannels * frames, frames};
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<SplitChannels>;
  operation.extents[0].meaning = "frames of the recording";
  operation.extents[1].meaning = "threads of a block";
  for (Extent& extent : operation.extents) extent.most = kMaxFrames;
  return operation;
}
