#include "measured_cases.h"
#include "tests/simulator/findings/marked_kernels.h"

namespace {

INSTANTIATE_TEST_SUITE_P(MeasuredGlobalMemory, MarkedKernels, marked_kernels(global_memory_cases()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(MeasuredArrays, MarkedKernels, marked_kernels(array_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(MeasuredSharedRaces, MarkedKernels, marked_kernels(shared_race_cases()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(MeasuredGlobalRaces, MarkedKernels, marked_kernels(global_race_cases()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(MeasuredInitialisation, MarkedKernels,
                         marked_kernels(initialisation_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(MeasuredBarriers, MarkedKernels, marked_kernels(barrier_cases()),
                         case_name);

}  // namespace
