#include "harness/problem.h"
#include "harness/reference.h"
#include "in_place.h"

#include "common/harness/plain_copy.h"

namespace {

class InPlace final : public TimedProblem, public DataOptions<MapData::wide> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool) {
    return arrays_of(size.n, sizeof(float), /*on_device=*/2, /*on_host=*/2);
  }

  InPlace(const MapSize& size, std::uint64_t seed)
      : size_(size), h_x_(map_arguments<float>(size.data, size.n, seed)), d_x_(h_x_) {}

  void run() override { map_in_place(d_x_.data(), h_x_.size()); }

  std::string check() override {
    require_right(d_x_.to_host().data(), h_x_.data(), h_x_.size(), accuracy());
    return all_right(h_x_.size());
  }

  // Each run maps the result of the previous one, which can lie outside kMaxX; so x is restored
  // first. The copy that restores it, of as many bytes, is the ceiling.
  Timings time() override {
    const DeviceBuffer<float> d_original(h_x_);
    return time_beside([&] { queue_copy(d_x_.data(), d_original.data(), d_x_.size_bytes()); },
                       [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(size_, sizeof(float), timings);
  }

 private:
  MapSize size_;
  std::vector<float> h_x_;
  DeviceBuffer<float> d_x_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<InPlace>(argc, argv); }
