#include "dot_product.h"
#include "stage_facts/grid_stride_chain.h"

// The host adds the sums of the blocks in their order.
SumOrder sum_order(std::size_t size) { return {grid_stride_chain(size), true}; }
