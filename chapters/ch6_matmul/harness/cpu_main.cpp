#include "baselines/cpu.h"
#include "harness/problem.h"

#include "common/error_bound.h"
#include "common/harness/cpu_baseline.h"

#include <cmath>
#include <string>

namespace {

// The error of a sum has the same bound in every order.
double error_bound(float, int k) { return float_sum_error_bound(k); }
double error_bound(double, int k) { return double_sum_error_bound(k); }

// A product on the CPU. It starts as NaN, which shows elements that are not written.
template <typename T>
class ProductOnCpu final : public ProductProblem<T> {
 public:
  ProductOnCpu(const ProductShape& shape, std::uint64_t seed)
      : ProductProblem<T>(shape, seed, error_bound(T{}, shape.k)),
        h_c_(static_cast<std::size_t>(shape.m) * shape.n, static_cast<T>(NAN)) {}

  void run() override {
    const auto [m, n, k] = this->shape();
    product_on_cpu(Matrix<const T>{this->h_a().data(), m, k},
                   Matrix<const T>{this->h_b().data(), k, n}, Matrix<T>{h_c_.data(), m, n});
  }

  std::string check() override {
    return ProductProblem<T>::check() + "\n  on the CPU, by " + cpu_library();
  }

  Timings time() override {
    constexpr int kRepeats = 3;  // of several seconds each
    return time_on_cpu_beside([&] { this->queue_ceiling(); }, [&] { run(); }, [] {}, kRepeats);
  }

 protected:
  std::vector<T> product() override { return h_c_; }

 private:
  std::vector<T> h_c_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<AnyProduct<ProductOnCpu>>(argc, argv); }
