#include "generate/generate.h"

#include "generated_numbers.h"

namespace {

struct Doubles final : GeneratedNumbers<double> {
  explicit Doubles(const Shape& shape) : GeneratedNumbers(generator(), shape) {}
  void run(cudaStream_t stream) override { generate_doubles(x, n, distribution, seed, stream); }
};

}  // namespace

Operation describe_operation() {
  Operation operation = generating_operation<Doubles>();
  // None; one; pairs and odd numbers; blocks of 256 threads with two numbers each, and the sizes
  // around them; a prime. 0 is uniform, 1 normal.
  operation.shapes = shapes_of({0});
  for (const std::size_t n : {1, 2, 3, 31, 64, 511, 512, 513, 1023, 1025, 10007}) {
    for (const std::size_t data : {0, 1}) operation.shapes.push_back({n, data});
  }
  operation.has_few_launches = generator().is_philox && !generator().is_on_host;
  if (generator().is_on_host) operation.runs_on_cpu = 5;  // of half a second each
  return operation;
}
