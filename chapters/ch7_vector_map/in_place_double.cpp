#include "in_place_double.h"

#include "map_operation.h"

#include "common/harness/once.h"

#include <optional>

namespace {

struct DoublesInPlace final : MapInPlace<double> {
  explicit DoublesInPlace(const Shape& shape) : MapInPlace(accuracy(), kUniformFirst, shape) {}

  void run(cudaStream_t stream) override {
    note_memory();
    double_map_in_place(x, n, stream);
  }

  std::string report() const override { return MapInPlace::report() + "\n  " + memory_text(); }

  // The first call of a program also loads the kernel's code.
  void before_timing() override {
    note_memory();
    first_ms = once_ms([&] { run(nullptr); });
    x.write();
    CUDA_CHECK(cudaDeviceSynchronize());
    second_ms = once_ms([&] { run(nullptr); });
  }
  std::vector<std::string> notes() const override {
    return {format("by the CPU's clock: first call %.3f ms, second %.3f ms", first_ms, second_ms),
            memory_text()};
  }

  // The memory that x takes, from what is free before it is allocated, after fill(), and before the
  // first call.
  void fill(std::uint64_t seed) override {
    MapInPlace::fill(seed);
    free_before = free_device_bytes();
  }
  void note_memory() {
    if (!taken_bytes) taken_bytes = free_before - free_device_bytes();
  }
  std::string memory_text() const {
    return format("x on the device: %.0f bytes by its size, %zu taken", x.bytes(), *taken_bytes);
  }

  double first_ms = 0, second_ms = 0;
  std::size_t free_before = 0;
  std::optional<std::size_t> taken_bytes;
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<DoublesInPlace>(kUniformFirst);
  // Each size with each kind of data: 1 is normal and 2 wide.
  operation.shapes = shapes_of({0});
  for (const std::size_t n : {1, 2, 31, 33, 1023, 1024, 1025, 2049, 10007}) {
    for (const std::size_t data : {0, 1, 2}) operation.shapes.push_back({n, data});
  }
  return operation;
}
