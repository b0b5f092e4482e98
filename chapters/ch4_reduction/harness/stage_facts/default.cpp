#include "reduction.h"

// At worst all terms are added one after another; adding a 0 rounds nothing.
SumOrder sum_order(std::size_t size) { return {size, false}; }
