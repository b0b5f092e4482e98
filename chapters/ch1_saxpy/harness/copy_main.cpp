#include "baselines/copy.h"
#include "harness/problem.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <stdexcept>

namespace {

class Copy final : public TimedProblem, public ArrayOptions {
 public:
  static MemoryNeed memory_need(const ArraySize& size, bool is_timed) {
    return arrays_of(size.n, /*on_device=*/is_timed ? 3 : 2, /*on_host=*/2);
  }

  Copy(const ArraySize& size, std::uint64_t seed)
      : size_(size), h_x_(random_floats(size.n, seed)), d_x_(h_x_), d_y_(size.n) {
    d_y_.fill_bytes(0xff);
  }

  void run() override {
    launch_with(size_.threads, [&] { copy(d_x_.data(), d_y_.data(), size_.n, size_.threads); });
  }

  std::string check() override {
    if (find_mismatch(d_y_.to_host(), h_x_)) throw std::runtime_error("WRONG: y is not x.");
    return all_right(size_.n);
  }

  Timings time() override {
    DeviceBuffer<float> d_copy(size_.n);
    return time_beside([&] { queue_copy(d_copy.data(), d_x_.data(), d_x_.size_bytes()); },
                       [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = 2.0 * size_.n * sizeof(float);
    return beside_copy(size_.n, {timings.own, bytes}, {timings.ceiling, bytes});
  }

 private:
  ArraySize size_;
  std::vector<float> h_x_;
  DeviceBuffer<float> d_x_, d_y_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Copy>(argc, argv); }
