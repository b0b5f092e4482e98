#pragma once

#include <vector>

// The chunks that a sweep tries: how many entries a thread makes, from 1 to 32, in rising order.
std::vector<int> chunks_to_try();
