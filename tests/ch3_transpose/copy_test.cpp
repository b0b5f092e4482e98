#include "chapters/ch3_transpose/baselines/copy.h"
#include "chapters/ch3_transpose/harness/copy_reference.h"
#include "tests/ch3_transpose/matrix_operation_tests.h"

const Operation operation_under_test{copy, copy_reference};
