#include "dot_product.h"
#include "harness/integers_reference.h"
#include "integer_dot/integers.h"

#include "common/ceil_div.h"
#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/read_probe.h"

#include <algorithm>
#include <stdexcept>

namespace {

constexpr std::size_t kDefaultSize = 33 * 1024;

// a = 1, 2, ..., n and b = 2, 4, ..., 2 n in one contiguous array, so that the read probe can read
// both in one run.
class IntegerDot final : public TimedProblem {
 public:
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "n, the largest element of a; the largest of b is 2 n"}};
  }
  static Asked parse(Options& options) {
    return options.integer<std::size_t>("--size", 1, static_cast<long long>(kMaxSize));
  }
  static Sizes<std::size_t> sizes(const Asked& asked, bool) {
    const std::size_t size = asked.value_or(kDefaultSize);
    return {size, size};
  }
  static MemoryNeed memory_need(std::size_t size, bool) {
    const double bytes = 2 * static_cast<double>(size) * sizeof(unsigned long long);
    return {format("two vectors of %zu integers", size), bytes, bytes,
            largest_that_fits("--size", static_cast<double>(size))};
  }

  IntegerDot(std::size_t size, std::uint64_t)
      : size_(size), d_both_(both(size)), d_sums_(kIntegerBlocks), d_unused_(sizeof(unsigned)) {
    d_sums_.fill_bytes(0xff);
  }

  void run() override {
    dot_ = integer_dot_product(d_both_.data(), d_both_.data() + b_offset(size_), size_,
                               d_sums_.data());
  }

  std::string check() override {
    const unsigned long long expected = twice_the_sum_of_squares(size_);
    if (dot_ != expected) {
      throw std::runtime_error(
          format("WRONG for n = %zu: expected %llu, got %llu.", size_, expected, dot_));
    }
    const std::size_t blocks =
        std::clamp<std::size_t>(ceil_div(size_, std::size_t{kIntegerThreads}), 1, kIntegerBlocks);
    return format(
        "a = 1, 2, ..., %zu, b = 2 a, in %zu blocks of %u threads%s\n"
        "  the blocks' sums, added up  %llu\n"
        "  n (n + 1) (2 n + 1) / 3     %llu, equal",
        size_, blocks, kIntegerThreads,
        size_ > kLargestExactN ? ", modulo 2^64, because the sum has more than 64 bits" : "", dot_,
        expected);
  }

  Timings time() override {
    const auto* const both = reinterpret_cast<const double*>(d_both_.data());
    return time_beside([&] { read_probe(both, d_both_.size(), d_unused_.data()); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = 2 * static_cast<double>(size_) * sizeof(unsigned long long);
    return {format("two vectors of %zu integers", size_),
            {{"size", std::to_string(size_)}},
            {timings.own, bytes},
            {"read probe", "read_probe", {timings.ceiling, bytes}}};
  }

 private:
  // b is aligned as cudaMalloc aligns.
  static std::size_t b_offset(std::size_t size) { return (size + 31) / 32 * 32; }

  static std::vector<unsigned long long> both(std::size_t size) {
    std::vector<unsigned long long> numbers(b_offset(size) + size);
    for (std::size_t i = 0; i < size; ++i) {
      numbers[i] = i + 1;
      numbers[b_offset(size) + i] = 2 * (i + 1);
    }
    return numbers;
  }

  std::size_t size_;
  DeviceBuffer<unsigned long long> d_both_, d_sums_;
  DeviceBuffer<char> d_unused_;
  unsigned long long dot_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<IntegerDot>(argc, argv); }
