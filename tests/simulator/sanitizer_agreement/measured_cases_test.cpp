#include "measured_cases.h"
#include "tests/simulator/findings/marked_kernels.h"

INSTANTIATE_TEST_SUITE_P(Measured, MarkedKernels, marked_kernels(measured_files()), case_name);
