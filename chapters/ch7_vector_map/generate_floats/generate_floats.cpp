#include "generate_floats/generate_float.h"

#include "generated_numbers.h"

namespace {

struct Floats final : GeneratedNumbers<float> {
  explicit Floats(const Shape& shape)
      : GeneratedNumbers({/*is_philox=*/true, /*is_on_host=*/false}, shape) {}
  void run(cudaStream_t stream) override { generate_floats(x, n, distribution, seed, stream); }
};

}  // namespace

Operation describe_operation() {
  Operation operation = generating_operation<Floats>();
  // None; one; groups of four numbers with any rest; blocks of 256 threads with four numbers each,
  // and the sizes around them; a prime. 0 is uniform, 1 normal.
  operation.shapes = shapes_of({0});
  for (const std::size_t n : {1, 2, 3, 4, 5, 31, 1023, 1024, 1025, 1026, 10007}) {
    for (const std::size_t data : {0, 1}) operation.shapes.push_back({n, data});
  }
  return operation;
}
