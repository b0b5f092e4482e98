#include "distances.h"

std::size_t workspace_bytes(int, int) { return 0; }
