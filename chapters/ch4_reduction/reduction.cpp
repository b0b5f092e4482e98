#include "reduction.h"

#include "accurate_sum.h"

#include "common/harness/normal_doubles.h"
#include "common/harness/operation.h"

// What a stage computes, in one loop. Its rounding errors grow with the size, so the stages are
// checked against accurate_log_likelihood(); a test bounds the difference of the two.
double log_likelihood_in_one_loop(const double* in, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += log_density(in[i]);
  return sum;
}

// For a stage that does not define it: at worst all terms are added one after another.
[[gnu::weak]] SumOrder sum_order(std::size_t size) { return {size, /*is_fixed=*/false}; }

namespace {

struct LogLikelihood final : Computation {
  explicit LogLikelihood(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = normal_doubles(size, seed); }
  void run(cudaStream_t stream) override { log_likelihood(in, sum, size, workspace, stream); }
  void expect() override {
    const double right = accurate_log_likelihood(in.host.data(), size);
    sum.expect({right}, tolerance() * std::abs(right));  // relative: no terms cancel
  }
  double tolerance() const { return sum_tolerance(sum_order(size).longest_chain); }
  double work() const override { return in.bytes() + sum.bytes(); }  // bytes to read and write
  std::string text() const override { return format("%zu doubles", size); }
  // Printed to the last bit, because the chapter asks whether the next run gives the same bits.
  std::string report() const override {
    return text() + format(", equal to the CPU's result to within %.2g of it\n  result %.17g = %a",
                           tolerance(), sum.result[0], sum.result[0]);
  }

  std::size_t size;
  Input<double> in{this, "in", size};
  Output<double> sum{this, "sum", 1};
  Workspace workspace{this, kWorkspaceBytes, 0};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<LogLikelihood>;
  // To check: a prime, which no block or tile divides. To time: 13 times the L2 cache of an H200.
  operation.extents = {{"--size N", "how many doubles", kMaxSize, 1'000'003, 100'000'000}};
  // None; one; a warp, a block of 256 or 1024 and a tile of 2048, each also with one less and one
  // more; with and without a partner for the last element; primes; many blocks.
  operation.shapes =
      shapes_of({0,    1,    2,    3,    31,   32,   33,   255,  256,  257,   511,   513,
                 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4099, 10007, 100003});
  operation.same_bits_twice = false;  // reduction_test.cpp asks it of orders that are fixed
  operation.ceiling = input_read;     // a kernel that only reads as many bytes
  return operation;
}
