#pragma once

#include "matrix.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/relative_errors.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The code that the programs of this chapter share.

// A product of floats, with 32 bits, or of doubles, with 64.
struct ProductSize {
  ProductShape shape;
  int bits;
  std::string text() const;  // "5 x 7 by 7 x 3 floats"
};

// The options of the command line.
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

// Two random factors on the host, and their correct product. T is float or double. The ceiling is
// fma_rate().
template <typename T>
class ProductProblem : public TimedProblem {
 public:
  // Compares all of c with the reference if it is small, otherwise a lattice that meets every tile.
  std::string check() override;
  Measurement measurement(const Timings& timings) const override;

 protected:
  // The error of an element of c must be at most `error_bound` times the sum of its products'
  // magnitudes.
  ProductProblem(const ProductShape& shape, std::uint64_t seed, double error_bound);

  const ProductShape& shape() const { return size_.shape; }
  const std::vector<T>& h_a() const { return h_a_; }
  const std::vector<T>& h_b() const { return h_b_; }
  void queue_ceiling();

  // The product of the last run. Throws std::runtime_error if the run changed a factor.
  virtual std::vector<T> product() = 0;

 private:
  RelativeErrors check_lattice(const std::vector<T>& h_c) const;

  ProductSize size_;
  double error_bound_;
  std::vector<T> h_a_, h_b_;
  RelativeErrors errors_{};  // of the last check
  DeviceBuffer<T> d_unused_{1};
  double fma_operations_ = 0;
};

// Runs a Typed<float> or a Typed<double>, as --bits selects; both are ProductProblems.
template <template <typename> class Typed>
class AnyProduct final : public TimedProblem, public ProductOptions {
 public:
  AnyProduct(const ProductSize& size, std::uint64_t seed) {
    if (size.bits == 32) {
      typed_ = std::make_unique<Typed<float>>(size.shape, seed);
    } else {
      typed_ = std::make_unique<Typed<double>>(size.shape, seed);
    }
  }
  void run() override { typed_->run(); }
  std::string check() override { return typed_->check(); }
  Timings time() override { return typed_->time(); }
  Measurement measurement(const Timings& timings) const override {
    return typed_->measurement(timings);
  }

 private:
  std::unique_ptr<TimedProblem> typed_;
};
