#include "matmul.h"

#include "common/error_bound.h"

// The products of an element are added one by one, in any order.
double float_error_bound(int k) { return float_sum_error_bound(k); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
