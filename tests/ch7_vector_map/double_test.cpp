#include "chapters/ch7_vector_map/double/double_map.h"

namespace map_tests {
using Element = double;
constexpr auto map_under_test = double_map;
}  // namespace map_tests

#include "tests/ch7_vector_map/map_tests.h"
