#include "harness/min_plus_reference.h"
#include "min_plus.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::size_t elements(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }

class MinPlus final : public Problem {
 public:
  using Asked = std::optional<ProductShape>;
  static std::vector<OptionHelp> options() {
    return {{"--m M  --n N  --k K", "M x K by K x N lengths (default: the first one given)"}};
  }
  static Asked parse(Options& options) {
    const auto m = options.integer<int>("--m", 1, kMaxExtent);
    const auto n = options.integer<int>("--n", 1, kMaxExtent);
    const auto k = options.integer<int>("--k", 1, kMaxExtent);
    if (!m && !n && !k) return std::nullopt;
    const int side = m ? *m : n ? *n : *k;
    return ProductShape{side, n.value_or(side), k.value_or(side)};
  }
  static Sizes<ProductShape> sizes(const Asked& asked, bool is_timed) {
    constexpr ProductShape kToCheck{251, 197, 163};  // no tile divides it
    return sizes_of(asked, kToCheck, kToCheck, is_timed);
  }
  static MemoryNeed memory_need(const ProductShape& shape, bool) {
    const double m = shape.m, n = shape.n, k = shape.k;  // in floating point no size overflows
    const double bytes = (m * k + k * n + m * n) * sizeof(float);
    return {text(shape), bytes, 2 * bytes,
            [](double) { return std::string("Use smaller sizes."); }};
  }

  MinPlus(const ProductShape& shape, std::uint64_t seed)
      : shape_(shape),
        h_a_(random_lengths(elements(shape.m, shape.k), seed)),
        h_b_(random_lengths(elements(shape.k, shape.n), seed + 1)),
        d_a_(h_a_),
        d_b_(h_b_),
        d_c_(elements(shape.m, shape.n)) {
    d_c_.fill_bytes(0xff);  // NaN: an element that is not written is not equal to anything
  }
  void run() override {
    min_plus(d_a_.data(), d_b_.data(), d_c_.data(), shape_.m, shape_.n, shape_.k);
  }
  std::string check() override {
    const std::vector<float> h_c = d_c_.to_host();
    const std::vector<float> expected = min_plus_reference(h_a_, h_b_, shape_);
    if (const auto mismatch = find_mismatch(h_c, expected)) {
      throw std::runtime_error("WRONG for " + text(shape_) + ": " +
                               mismatch_text(*mismatch, "c", h_c, expected));
    }
    if (d_a_.to_host() != h_a_ || d_b_.to_host() != h_b_) {
      throw std::runtime_error("WRONG: the kernel changed one of its inputs.");
    }
    return text(shape_) + ", all equal to the CPU's result";
  }

 private:
  static std::string text(const ProductShape& shape) {
    return format("min-plus product of %d x %d by %d x %d lengths", shape.m, shape.k, shape.k,
                  shape.n);
  }

  ProductShape shape_;
  std::vector<float> h_a_, h_b_;
  DeviceBuffer<float> d_a_, d_b_, d_c_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<MinPlus>(argc, argv); }
