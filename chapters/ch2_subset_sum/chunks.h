#pragma once

#include <vector>

// The chunks that a sweep tries: entries per thread, from 1 to 32, in increasing order.
std::vector<int> chunks_to_try();
