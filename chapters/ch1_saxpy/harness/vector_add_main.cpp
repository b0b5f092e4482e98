#include "harness/problem.h"
#include "vector_add.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/random.h"

#include <cstddef>
#include <stdexcept>

namespace {

class VectorAdd final : public Problem, public ArrayOptions {
 public:
  static MemoryNeed memory_need(const ArraySize& size, bool) {
    return arrays_of(size.n, /*on_device=*/3, /*on_host=*/4);
  }

  VectorAdd(const ArraySize& size, std::uint64_t seed)
      : size_(size),
        h_x_(random_floats(size.n, seed)),
        h_y_(random_floats(size.n, seed + 1)),
        d_x_(h_x_),
        d_y_(h_y_),
        d_z_(size.n) {
    d_z_.fill_bytes(0xff);
  }

  void run() override {
    launch_with(size_.threads,
                [&] { vector_add(d_x_.data(), d_y_.data(), d_z_.data(), size_.n, size_.threads); });
  }

  std::string check() override {
    std::vector<float> expected(h_x_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = h_x_[i] + h_y_[i];
    const std::vector<float> h_z = d_z_.to_host();
    if (const auto mismatch = find_mismatch(h_z, expected)) {
      throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, "z", h_z, expected));
    }
    return all_right(size_.n);
  }

 private:
  ArraySize size_;
  std::vector<float> h_x_, h_y_;
  DeviceBuffer<float> d_x_, d_y_, d_z_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<VectorAdd>(argc, argv); }
