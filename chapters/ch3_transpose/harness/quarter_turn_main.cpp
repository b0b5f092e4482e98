#include "harness/problem.h"
#include "harness/quarter_turn_reference.h"
#include "quarter_turn.h"

namespace {

struct QuarterTurn final : MatrixProblem {
  QuarterTurn(const Shape& shape, std::uint64_t seed)
      : MatrixProblem({quarter_turn, quarter_turn_reference}, shape, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<QuarterTurn>(argc, argv); }
