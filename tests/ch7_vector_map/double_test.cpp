namespace map_tests {
using Element = double;
}  // namespace map_tests

#include "tests/ch7_vector_map/map_tests.h"
