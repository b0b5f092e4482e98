#include "harness/heat_step_reference.h"
#include "harness/problem.h"
#include "heat_step.h"

namespace {

struct HeatStep final : MatrixProblem {
  HeatStep(const Shape& shape, std::uint64_t seed)
      : MatrixProblem({heat_step, heat_step_reference, kHeatStepMaxError}, shape, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<HeatStep>(argc, argv); }
