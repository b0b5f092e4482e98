#pragma once

// Registers the tests of the operation that describe_operation() describes
// (common/harness/operation.h).
void register_operation_tests();
