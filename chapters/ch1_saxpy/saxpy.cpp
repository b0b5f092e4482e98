#include "saxpy.h"

#include "saxpy_operation.h"

// For the tests of the stages, whose main() is part of the lesson: main.cpp.

namespace {

struct Saxpy final : SaxpyComputation<float> {
  using SaxpyComputation::SaxpyComputation;

  void run(cudaStream_t stream) override { saxpy(a, x, y, static_cast<int>(n), threads, stream); }
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<Saxpy>;
  operation.at_any_address = true;
  return operation;
}
