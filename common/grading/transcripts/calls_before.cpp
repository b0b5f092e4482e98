// Makes the counted call of an answer's program a later one, as most calls of the tests are: an
// answer could be different in the first call of a process.

#include "common/harness/operation.h"

#include "cuda_simulator.h"

#include <cstddef>
#include <functional>
#include <numeric>

// For each small shape of the operation's tests; their costs are not counted.
void make_calls_before(const Operation& operation, const std::function<void(const Shape&)>& call) {
  constexpr std::size_t kMostElements = 4096;
  for (const Shape& shape : operation.shapes) {
    const auto end = shape.begin() + static_cast<std::ptrdiff_t>(operation.extents.size());
    const auto elements =
        std::accumulate(shape.begin(), end, std::size_t{1}, std::multiplies<std::size_t>());
    if (elements > kMostElements || elements == 0) continue;
    const Shape whole = complete(operation, shape);
    if (!refusal_of(operation, whole)) call(whole);
  }
  cuda_simulator::count_from_here();
}
