#include "dot_product.h"

// At worst all products are added one after another; adding a 0 rounds nothing.
SumOrder sum_order(std::size_t size) { return {size, false}; }
