#include "distances.h"

#include "distances_operation.h"
#include "error_bound.h"

#include <stdexcept>

// A stage that does not define these has no workspace, and subtracts, squares and adds.
[[gnu::weak]] std::size_t workspace_bytes(int, int) { return 0; }
[[gnu::weak]] ErrorBound error_bound(int dimensions) { return direct_error_bound(dimensions); }

namespace {

struct SquaredDistances final : DistancesComputation {
  SquaredDistances(const Shape& shape, const VectorSource& from)
      : DistancesComputation(shape, from), workspace(this, workspace_bytes(count, dimensions)) {}

  void run(cudaStream_t stream) override {
    squared_distances({vectors, count, dimensions, layout}, distances, workspace, stream);
  }
  ErrorBound bound() const override { return error_bound(dimensions); }

  Workspace workspace;
};

// The first stages take row-major vectors only. Without vectors a stage only checks its arguments.
void refuse_layout(const Shape& shape) {
  if (layout_of(shape) == Layout::kRowMajor) return;
  try {
    squared_distances({nullptr, 0, 0, layout_of(shape)}, nullptr, nullptr);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

Operation describe_operation() {
  Operation operation = distances_operation<SquaredDistances>(refuse_layout);
  // No pair; one; no dimensions; one dimension; subsets of 16, tiles of 64 and of 128 and the sizes
  // around them, depths of 12, 16 and 32 and those around them, multiples of 4 and others; primes;
  // few long vectors, many short ones; the dimensions of the lesson; tiles of 64 and vectors of two
  // tiles. The largest, for tests of one size, is in the layout that all stages take.
  operation.shapes =
      in_both_layouts({{0, 5},    {1, 5},    {2, 1},    {2, 3},   {5, 0},    {3, 1000}, {15, 31},
                       {16, 32},  {17, 33},  {31, 7},   {32, 4},  {33, 64},  {63, 11},  {64, 13},
                       {65, 13},  {65, 24},  {67, 61},  {70, 37}, {127, 12}, {128, 4},  {128, 16},
                       {129, 17}, {130, 20}, {257, 15}, {260, 8}, {400, 1},  {40, 300}, {70, 130}});
  operation.shapes.push_back({140, 90});
  operation.in_turn = {{33, 20}, {33, 20, 1}, {140, 5}, {140, 5, 1}, {3, 40}, {3, 40, 1}};
  return operation;
}
