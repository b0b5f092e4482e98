#include "harness/problem.h"
#include "in_place_double.h"

#include "common/harness/once.h"
#include "common/harness/plain_copy.h"

namespace {

class DoublesInPlace final : public TimedProblem, public DataOptions<MapData::uniform> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool is_timed) {
    return arrays_of(size.n, sizeof(double), /*on_device=*/is_timed ? 2 : 1, /*on_host=*/2);
  }

  DoublesInPlace(const MapSize& size, std::uint64_t seed)
      : size_(size),
        h_x_(map_arguments<double>(size.data, size.n, seed)),
        free_before_(free_device_bytes()),
        d_x_(h_x_),
        taken_bytes_(free_before_ - free_device_bytes()) {}

  void run() override { double_map_in_place(d_x_.data(), size_.n); }

  std::string check() override {
    require_right(d_x_.to_host().data(), h_x_.data(), size_.n, accuracy());
    return all_right(size_.n) + "\n  " + memory_text();
  }

  // Each run maps the result of the previous one, so x is restored first. The copy that restores
  // it, of as many bytes, is the ceiling.
  Timings time() override {
    const DeviceBuffer<double> d_original(h_x_);
    const auto restore = [&] { queue_copy(d_x_.data(), d_original.data(), d_x_.size_bytes()); };
    first_ms_ = once_ms([&] { run(); });
    restore();
    CUDA_CHECK(cudaDeviceSynchronize());
    second_ms_ = once_ms([&] { run(); });
    return time_beside(restore, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(
        size_, sizeof(double), timings,
        {format("by the CPU's clock: first call %.3f ms, second %.3f ms", first_ms_, second_ms_),
         memory_text()});
  }

 private:
  std::string memory_text() const {
    return format("x on the device: %zu bytes by its size, %zu taken", d_x_.size_bytes(),
                  taken_bytes_);
  }

  MapSize size_;
  std::vector<double> h_x_;
  std::size_t free_before_;  // in this order: it is read before and after x
  DeviceBuffer<double> d_x_;
  std::size_t taken_bytes_;
  double first_ms_ = 0, second_ms_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<DoublesInPlace>(argc, argv); }
