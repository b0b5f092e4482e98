#include "harness/problem.h"
#include "matmul.h"

#include "common/harness/grid_limit.h"
#include "common/harness/once.h"

#include <stdexcept>

namespace {

double error_bound(float, int k) { return float_error_bound(k); }
double error_bound(double, int k) { return double_error_bound(k); }

// A product on the device. It starts as NaN, which shows elements that are not written.
template <typename T>
class Matmul final : public ProductProblem<T> {
 public:
  Matmul(const ProductShape& shape, std::uint64_t seed)
      : ProductProblem<T>(shape, seed, error_bound(T{}, shape.k)),
        free_before_(free_device_bytes()),
        d_a_(allocated(this->h_a().size(), allocation_ms_)),
        d_b_(this->h_b()),
        factors_taken_(free_before_ - free_device_bytes()),
        d_c_(static_cast<std::size_t>(shape.m) * shape.n) {
    copy_a();
    d_c_.fill_bytes(0xff);
  }

  void run() override {
    const auto [m, n, k] = this->shape();
    const Matrix<const T> a{d_a_.data(), m, k}, b{d_b_.data(), k, n};
    const Matrix<T> c{d_c_.data(), m, n};
    launch_for_rows(m, "ch6_matmul_register_tiled", [&] { matmul(a, b, c); });
  }

  Timings time() override {
    first_ms_ = once_ms([&] { run(); });
    second_ms_ = once_ms([&] { run(); });
    there_ms_ = once_ms([&] { copy_a(); });
    time_the_way_back();
    return time_beside([&] { this->queue_ceiling(); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    Measurement measured = ProductProblem<T>::measurement(timings);
    const std::size_t by_size = d_a_.size_bytes() + d_b_.size_bytes();
    for (const std::string& note :
         {format("by the CPU's clock: first call %.3f ms, second %.3f ms", first_ms_, second_ms_),
          format("copies: a to the device %.3f ms, c back into new memory %.3f ms, again into the "
                 "same memory %.3f ms",
                 there_ms_, back_ms_, back_again_ms_),
          format("allocation: a on the device %.3f ms, c on the host %.3f ms", allocation_ms_,
                 host_allocation_ms_),
          format("a and b on the device: %zu bytes by their sizes, %zu taken", by_size,
                 factors_taken_)}) {
      measured.notes.push_back(note);
    }
    return measured;
  }

 protected:
  std::vector<T> product() override {
    if (d_a_.to_host() != this->h_a() || d_b_.to_host() != this->h_b()) {
      throw std::runtime_error("WRONG: the kernel changed one of the factors.");
    }
    return d_c_.to_host();
  }

 private:
  // A buffer of `size` elements; `ms` becomes the time of its allocation.
  static DeviceBuffer<T> allocated(std::size_t size, double& ms) {
    DeviceBuffer<T> buffer(0);
    ms = once_ms([&] { buffer = DeviceBuffer<T>(size); });
    return buffer;
  }

  void copy_a() {
    CUDA_CHECK(
        cudaMemcpy(d_a_.data(), this->h_a().data(), d_a_.size_bytes(), cudaMemcpyHostToDevice));
  }

  // New memory has no pages before its first use: a vector writes it when it is constructed.
  void time_the_way_back() {
    {
      std::vector<T> h_c;
      back_ms_ = once_ms([&] { h_c = d_c_.to_host(); });
      back_again_ms_ = once_ms([&] {
        CUDA_CHECK(cudaMemcpy(h_c.data(), d_c_.data(), d_c_.size_bytes(), cudaMemcpyDeviceToHost));
      });
    }
    std::vector<T> h_new;
    host_allocation_ms_ = once_ms([&] { h_new.resize(d_c_.size()); });
  }

  double allocation_ms_ = 0;  // before d_a_, which sets it
  std::size_t free_before_;   // in this order: it is read before and after the factors
  DeviceBuffer<T> d_a_, d_b_;
  std::size_t factors_taken_;
  DeviceBuffer<T> d_c_;
  double first_ms_ = 0, second_ms_ = 0, there_ms_ = 0, back_ms_ = 0, back_again_ms_ = 0;
  double host_allocation_ms_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<AnyProduct<Matmul>>(argc, argv); }
