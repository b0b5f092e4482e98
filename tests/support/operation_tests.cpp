// The tests of every operation that has a description. They are compiled once; a test program's
// description gives the sizes.

#include "tests/support/operation_tests.h"

#include "common/cuda_check.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/launched_blocks.h"
#include "tests/support/own_stream.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using Body = std::function<void()>;

// Expectations of the grid, if the caller chooses the threads of a block.
class OperationTest : public ArrayOperationTest {
 public:
  explicit OperationTest(Body body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

  // Without elements, and on the CPU, nothing is launched.
  static void expect_blocks(const Shape& shape, const Computation& computation) {
    const Operation& operation = operation_under_test();
    const int extent = operation.threads_extent;
    const auto end = shape.begin() + static_cast<std::ptrdiff_t>(operation.extents.size());
    const bool has_elements = std::find(shape.begin(), end, 0u) == end;
    if (extent < 0 || !has_elements || is_on_cpu(computation)) return;
    expect_blocks_of(static_cast<int>(shape[static_cast<std::size_t>(extent)]));
  }

 private:
  Body body_;
};

void add(const std::string& name, const Body& body) {
  testing::RegisterTest("Operation", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [body]() -> DeviceTest* { return new OperationTest(body); });
}

// The seed differs from shape to shape.
std::uint64_t seed_of(const Shape& shape) {
  std::uint64_t seed = 11;
  for (const std::size_t extent : shape) seed = 31 * seed + extent;
  return seed;
}

std::optional<std::string> refusal_of(const Shape& shape) {
  return ::refusal_of(operation_under_test(), shape);
}

void matches_reference(const Shape& shape) {
  if (const auto why = refusal_of(shape)) GTEST_SKIP() << *why;
  Trial trial(shape, seed_of(shape));
  trial.run();
  trial.expect_right();
  OperationTest::expect_blocks(shape, trial.computation());
}

// Here outputs and the workspace are new memory, whose values a function must not read.
void leaves_its_inputs_alone() {
  Trial trial(usual_shape(), /*seed=*/2);
  trial.leave_outputs_unwritten();
  trial.run();
  trial.expect_nothing_else_changed();
}

// What a function keeps from call to call, also in its workspace, must not depend on the call
// before.
void serves_one_shape_after_another() {
  std::unique_ptr<Trial> last;
  for (const Shape& shape : shapes_in_turn()) {
    if (refusal_of(shape)) continue;
    SCOPED_TRACE(case_of(shape) + ", after other calls");
    auto trial = std::make_unique<Trial>(shape, /*seed=*/7);
    if (last) trial->use_workspace_of(*last);
    for (int run = 0; run < 2; ++run) trial->run();
    trial->expect_right();
    last = std::move(trial);
  }
}

void gives_the_same_bits_twice() {
  Trial trial(usual_shape(), /*seed=*/4);
  trial.run();
  const auto first = trial.output_bytes();
  trial.run();
  EXPECT_TRUE(right_or_fact(trial.output_bytes() == first, "result=varies"))
      << "the second call gives other bits than the first";
}

// Another call works in a second stream at the same time, on data of its own.
void runs_in_the_stream_it_is_given() {
  std::vector<Shape> shapes = shapes_in_turn();
  shapes.insert(shapes.begin(), usual_shape());
  while (refusal_of(shapes.back())) shapes.pop_back();
  Trial trial(usual_shape(), /*seed=*/5), other(shapes.back(), /*seed=*/9);
  const OwnStream stream, other_stream;
  trial.start_in(stream);
  other.start_in(other_stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamSynchronize(other_stream));
  trial.expect_right();
  SCOPED_TRACE("in a second stream");
  other.expect_right();
}

void reports_a_launch_that_fails() {
  Trial trial(usual_shape(), /*seed=*/8);
  expect_error_of_each_launch([&] { trial.call(); });
  if (!testing::Test::HasFailure()) take_device_findings();  // why a launch was refused
}

// A vector access needs an address that is a multiple of its size; an element may be anywhere.
void takes_arrays_that_start_anywhere() {
  const std::size_t arrays = operation_under_test().make(usual_shape())->arrays.size();
  for (const std::size_t first : {0, 1, 2, 3}) {
    for (const std::size_t others : {0, 1, 2, 3}) {
      SCOPED_TRACE(
          format("the first array starts %zu elements after a multiple of 256 bytes, the "
                 "others %zu",
                 first, others));
      Trial trial(usual_shape(), /*seed=*/6);
      for (std::size_t i = 0; i < arrays; ++i) trial.start_at(i, i == 0 ? first : others);
      trial.run();
      trial.expect_right();
    }
  }
}

// A library chooses its own blocks; then the result must be right.
void refuses_blocks_of(int threads) {
  test_error_handling();
  Shape shape = usual_shape();
  shape[static_cast<std::size_t>(operation_under_test().threads_extent)] =
      static_cast<std::size_t>(threads);
  Trial trial(shape);
  bool is_refused = false;
  try {
    trial.call();
  } catch (const CudaError&) {
    is_refused = true;
  }
  take_device_findings();  // the simulator reports why it refused the launch
  cudaGetLastError();
  if (is_refused) return;
  read_results(trial.computation());
  if (is_right(trial.computation())) {
    OperationTest::expect_blocks(shape, trial.computation());
  } else {
    add_missing_refusal("the function", threads);
  }
}

// A function that takes arrays in host memory returns when the work is done, and takes no stream.
bool takes_a_stream() {
  if (operation_under_test().in_host_memory) return false;
  const auto computation = operation_under_test().make(usual_shape());
  return std::all_of(computation->arrays.begin(), computation->arrays.end(), [](const auto& any) {
    return std::visit([](auto* array) { return array->memory == Memory::kDevice; }, any);
  });
}

// A teacher's shape may have what the description's shapes have, an extent of 0 too, and more.
std::vector<hidden_shapes::Range> ranges_of_hidden_shapes() {
  const Operation& operation = operation_under_test();
  std::vector<hidden_shapes::Range> ranges;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    const Extent& extent = operation.extents[i];
    std::size_t least = extent.least;
    for (const Shape& shape : operation.shapes) least = std::min(least, shape[i]);
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    ranges.push_back({extent.name(), static_cast<int>(least),
                      static_cast<int>(std::min(extent.most, kMost))});
  }
  return ranges;
}

// These shapes with the first of each choice, then with each other choice.
std::vector<Shape> with_each_choice(std::vector<Shape> shapes) {
  const Operation& operation = operation_under_test();
  const std::vector<Shape> with_first = shapes;
  for (std::size_t i = 0; i < operation.choices.size(); ++i) {
    for (std::size_t word = 1; word < operation.choices[i].values.size(); ++word) {
      for (Shape shape : with_first) {
        shape[operation.extents.size() + i] = word;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

// With a hidden seed: one shape is larger than the description's, and for an operation with one
// size there is another above 2^20 and one above 2^21, as far as it takes them.
std::vector<Shape> shapes_of_hidden_seed() {
  const Operation& operation = operation_under_test();
  if (hidden_seed() == 0) return {};
  RandomBits bits(/*seed=*/13);
  Shape larger = usual_shape();
  std::vector<std::size_t> scaled;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    if (static_cast<int>(i) == operation.threads_extent) continue;
    scaled.push_back(i);
    const std::size_t more = 1 + bits() % (larger[i] / 16 + 1);
    larger[i] = std::min(larger[i] + more, operation.extents[i].most);
  }
  std::vector<Shape> shapes = {larger};
  for (const std::size_t power : {1u << 20, 1u << 21}) {
    if (scaled.size() != 1 || operation.extents[scaled[0]].most < power + 1024) continue;
    larger[scaled[0]] = power + 1 + bits() % 1023;
    shapes.push_back(larger);
  }
  return shapes;
}

std::vector<Shape> tested_shapes() {
  const Operation& operation = operation_under_test();
  std::vector<Shape> shapes;
  for (const Shape& shape : operation.shapes) shapes.push_back(complete(operation, shape));
  for (const std::vector<int>& numbers : hidden_shapes::all(ranges_of_hidden_shapes())) {
    Shape hidden(numbers.begin(), numbers.end());
    if (operation.from_hidden) hidden = operation.from_hidden(hidden);
    hidden = complete(operation, hidden);
    if (std::find(shapes.begin(), shapes.end(), hidden) == shapes.end()) shapes.push_back(hidden);
  }
  for (const Shape& larger : shapes_of_hidden_seed()) {
    if (!refusal_of(larger)) shapes.push_back(larger);
  }
  return operation.with_each_choice ? with_each_choice(shapes) : shapes;
}

}  // namespace

void register_operation_tests() {
  const Operation& operation = operation_under_test();
  add("LeavesItsInputsAlone", leaves_its_inputs_alone);
  add("ServesOneShapeAfterAnother", serves_one_shape_after_another);
  if (operation.same_bits_twice) add("GivesTheSameBitsTwice", gives_the_same_bits_twice);
  if (takes_a_stream()) add("RunsInTheStreamItIsGiven", runs_in_the_stream_it_is_given);
  if (operation.has_few_launches && !operation.in_host_memory) {
    add("ReportsALaunchThatFails", reports_a_launch_that_fails);
  }
  if (operation.at_any_address) {
    add("TakesArraysThatStartAnywhere", takes_arrays_that_start_anywhere);
  }
  for (const int threads : {1025, 2000}) {
    if (operation.threads_extent < 0) break;
    add("ThrowsWhenABlockIsTooLarge/" + std::to_string(threads),
        [threads] { refuses_blocks_of(threads); });
  }
  for (const Shape& shape : tested_shapes()) {
    add("MatchesReference/" + case_of(shape), [shape] { matches_reference(shape); });
  }
}
