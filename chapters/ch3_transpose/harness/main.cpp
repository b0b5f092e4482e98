#include "harness/problem.h"
#include "harness/reference.h"
#include "transpose.h"

namespace {

struct Transpose final : MatrixProblem {
  Transpose(const Shape& shape, std::uint64_t seed)
      : MatrixProblem({transpose, transpose_reference}, shape, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Transpose>(argc, argv); }
