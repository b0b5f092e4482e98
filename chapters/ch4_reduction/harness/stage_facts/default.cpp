#include "reduction.h"

// At worst all terms are added sequentially; adding a 0 rounds nothing.
SumOrder sum_order(std::size_t size) { return {size, false}; }
