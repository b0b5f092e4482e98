#include "histogram.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <limits>

constexpr std::size_t kBins = 256;

// How many times each byte value occurs.
std::vector<unsigned> histogram_on_cpu(const std::vector<std::uint8_t>& bytes) {
  std::vector<unsigned> bins(kBins);
  for (const std::uint8_t byte : bytes) ++bins[byte];
  return bins;
}

namespace {

// Characters from ' ' to '~', so that most bins are empty. The tests count all values too.
std::vector<std::uint8_t> random_text(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(size);
  RandomBits bits(seed);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(' ' + bits() % 95);
  return bytes;
}

struct Histogram final : Computation {
  explicit Histogram(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = random_text(size, seed); }
  void run(cudaStream_t stream) override { histogram(in, bins, size, stream); }
  void expect() override { bins.expect(histogram_on_cpu(in.host)); }

  std::string text() const override { return format("%zu bytes", size); }
  std::string report() const override { return text() + ", all right"; }

  std::size_t size;
  Input<std::uint8_t> in{this, "in", size};
  Output<unsigned> bins{this, "bins", kBins, 0, /*unwritten=*/0x0f};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Histogram>;
  operation.extents = {
      {"--size N", "how many bytes", std::numeric_limits<unsigned>::max(), 1'000'003, 1'000'003}};
  // None; one; a warp, a block and 4096 bytes, each also with one less and one more; primes.
  operation.shapes =
      shapes_of({0, 1, 2, 31, 32, 33, 255, 256, 257, 1025, 4095, 4096, 4097, 10007, 100003});
  operation.at_any_address = true;
  return operation;
}
