#include "baselines/in_flight.h"

#include "common/cuda_check.h"
#include "common/harness/format.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <cstring>

namespace {

unsigned long long exclusive_or(const std::vector<double>& x) {
  unsigned long long all = 0;
  for (const double value : x) {
    unsigned long long bits;
    std::memcpy(&bits, &value, sizeof(bits));
    all ^= bits;
  }
  return all;
}

struct InFlight final : Computation {
  explicit InFlight(const Shape& shape) : n(shape[0]), kb_per_sm(static_cast<int>(shape[1])) {}

  void fill(std::uint64_t seed) override { x.host = random_doubles(n, seed); }
  void run(cudaStream_t stream) override {
    read_in_flight(x, static_cast<int>(n), kb_per_sm, bits, stream);
  }
  void expect() override { bits.expect({exclusive_or(x.host)}); }
  double work() const override { return x.bytes(); }

  std::string text() const override {
    return format("%zu doubles, %d KB in flight per SM", n, kb_per_sm);
  }
  std::string report() const override { return text() + ", the bits of all doubles read"; }
  std::vector<std::string> notes_of_times(double own_ms, double) const override {
    int sm_count = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
    const double in_flight_bytes = 1024.0 * kb_per_sm * sm_count;
    return {format("by Little's law a byte arrives after %.2f microseconds",
                   in_flight_bytes / work() * own_ms * 1000)};
  }

  std::size_t n;
  int kb_per_sm;
  Input<double> x{this, "x", n};
  Output<unsigned long long> bits{this, "bits", 1};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  // To time: 3.2 GB, so that the start and the end of the kernel are less than 1 % of it.
  operation.extents = {
      {"--n N", "doubles to read", kMaxDoubles, 100'003, 400'000'000},
      {"--kb_per_sm K", "KB in flight per SM: 2, 4, 8, 16, 32, 64 or 128", 128, 16, 16, 2}};
  operation.refuse = [](const Shape& shape) {
    const std::size_t kb = shape[1];
    if ((kb & (kb - 1)) != 0) {
      throw UsageError(format("--kb_per_sm %zu must be 2, 4, 8, 16, 32, 64 or 128.", kb));
    }
  };
  // None; one; less than one per thread, and more; for 32 KB and more, several loads at once and a
  // rest.
  operation.shapes = {{0, 2},        {1, 2},        {33'793, 4},   {100'003, 8},
                      {300'007, 16}, {600'011, 32}, {900'001, 64}, {2'000'003, 128}};
  operation.in_turn = {{33'793, 4}, {1, 2}, {100'003, 8}};
  operation.make = computes<InFlight>;
  operation.ceiling = input_read;
  return operation;
}
