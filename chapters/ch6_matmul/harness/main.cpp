#include "harness/problem.h"
#include "matmul.h"

#include <memory>

namespace {

double error_bound(float, int k) { return float_error_bound(k); }
double error_bound(double, int k) { return double_error_bound(k); }

template <typename T>
class Matmul final : public ProductProblem<T> {
 public:
  Matmul(const ProductShape& shape, std::uint64_t seed)
      : ProductProblem<T>(shape, seed, error_bound(T{}, shape.k)) {}
  void run() override { matmul(this->a(), this->b(), this->c()); }
};

// Of floats or of doubles, as --bits says.
class AnyMatmul final : public TimedProblem, public ProductOptions {
 public:
  AnyMatmul(const ProductSize& size, std::uint64_t seed) {
    if (size.bits == 32) {
      typed_ = std::make_unique<Matmul<float>>(size.shape, seed);
    } else {
      typed_ = std::make_unique<Matmul<double>>(size.shape, seed);
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

}  // namespace

int main(int argc, char** argv) { return run_program<AnyMatmul>(argc, argv); }
