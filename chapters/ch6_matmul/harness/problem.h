#pragma once

#include "matrix.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/relative_errors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter share.

// A product of floats, with 32 bits, or of doubles, with 64.
struct ProductSize {
  ProductShape shape;
  int bits;
  std::string text() const;  // "5 x 7 by 7 x 3 floats"
};

// What the command line says.
struct ProductOptions {
  struct Asked {
    std::optional<ProductShape> shape;
    int bits;
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<ProductSize> sizes(const Asked& asked, bool is_timed);
  static MemoryNeed memory_need(const ProductSize& size, bool is_timed);
};

// Two random factors, on the host and the device, and room for their product. T is float or double.
// The ceiling is fma_rate().
template <typename T>
class ProductProblem : public TimedProblem {
 public:
  // Against the reference: all of c if it is small, else a lattice that meets every tile.
  std::string check() override;
  Timings time() override;
  Measurement measurement(const Timings& timings) const override;

 protected:
  // An element of c may be off by `error_bound` of the sum of its products' magnitudes.
  ProductProblem(const ProductShape& shape, std::uint64_t seed, double error_bound);

  Matrix<const T> a() const { return {d_a_.data(), size_.shape.m, size_.shape.k}; }
  Matrix<const T> b() const { return {d_b_.data(), size_.shape.k, size_.shape.n}; }
  Matrix<T> c() { return {d_c_.data(), size_.shape.m, size_.shape.n}; }

 private:
  RelativeErrors check_lattice(const std::vector<T>& h_c) const;

  ProductSize size_;
  double error_bound_;
  std::vector<T> h_a_, h_b_;
  DeviceBuffer<T> d_a_, d_b_, d_c_;
  RelativeErrors errors_{};  // of the last check
  double fma_operations_ = 0;
};
