#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

// What a description can say, and what is refused (common/harness/operation.h).

namespace {

// y[i] = 2 x[i], computed on the host. `bug` changes the arrays after that.
struct Doubled final : Computation {
  explicit Doubled(std::size_t n) : n(n), x(this, "x", n), y(this, "y", n) {}
  void fill(std::uint64_t seed) override { x.host = random_floats(n, seed); }
  void expect() override { state_expectation(); }
  void run(cudaStream_t) override {
    for (std::size_t i = 0; i < n; ++i) y.data()[i] = 2 * x.data()[i];
  }
  std::string text() const override { return std::to_string(n) + " floats"; }

  void expect_exactly() {
    std::vector<float> right;
    for (const float value : x.host) right.push_back(2 * value);
    y.expect(right);
  }

  std::size_t n;
  Input<float> x;
  Output<float> y;
  std::function<void()> state_expectation = [this] { expect_exactly(); };
};

// In host memory, with its results.
void compute(Doubled& doubled) {
  doubled.fill(/*seed=*/1);
  doubled.x.allocate(/*in_host_memory=*/true);
  doubled.y.allocate(/*in_host_memory=*/true);
  doubled.x.write();
  doubled.y.write();
  doubled.run(nullptr);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Computation, IsRightOrNamesTheFirstWrongElement) {
  Doubled doubled(5);
  compute(doubled);
  read_results(doubled);
  EXPECT_TRUE(is_right(doubled));
  EXPECT_NO_THROW(require_right(doubled));
  doubled.y.data()[3] = 7;
  doubled.y.data()[4] = NAN;
  read_results(doubled);
  EXPECT_FALSE(is_right(doubled));
  EXPECT_EQ(message_of([&] {
              require_right(doubled);
            }).rfind("WRONG for 5 floats: 2 of 5 elements differ. The first is y[3]: expected ", 0),
            0u);
}

TEST(Computation, MustNotChangeItsInput) {
  Doubled doubled(5);
  compute(doubled);
  doubled.x.data()[0] = 9;
  read_results(doubled);
  EXPECT_EQ(message_of([&] { require_right(doubled); }),
            "WRONG: the function changed its input `x`.");
}

TEST(Computation, StartsWithOutputsThatAreNaN) {
  Doubled doubled(1);
  doubled.y.allocate(/*in_host_memory=*/true);
  doubled.y.write();
  EXPECT_TRUE(std::isnan(doubled.y.data()[0]));
}

TEST(Computation, WithAnOutputThatNothingChecksIsRefused) {
  Doubled doubled(5);
  doubled.state_expectation = [] {};
  compute(doubled);
  EXPECT_EQ(message_of([&] { read_results(doubled); }),
            "nothing checks the output `y`: call its expect() in expect().");
}

TEST(Computation, WithoutAllOfItsDataIsRefused) {
  Doubled doubled(5);
  doubled.x.host = {1, 2};
  doubled.x.allocate(/*in_host_memory=*/true);
  EXPECT_EQ(message_of([&] { doubled.x.write(); }), "x: fill() gives it 2 of 5 elements");
  EXPECT_EQ(message_of([&] { doubled.y.expect(std::vector<float>(4)); }),
            "y: as many right values as elements");
}

TEST(Expectation, ComparesBitsUnlessThereIsABound) {
  Doubled doubled(1);
  doubled.y.expect({0.0f});
  EXPECT_TRUE(doubled.y.is_right(0.0f, 0));
  EXPECT_FALSE(doubled.y.is_right(-0.0f, 0));
  doubled.y.expect({NAN});
  EXPECT_TRUE(doubled.y.is_right(-NAN, 0));
  doubled.y.expect({1.0f}, 0.25);
  EXPECT_TRUE(doubled.y.is_right(1.25f, 0));
  EXPECT_FALSE(doubled.y.is_right(std::nextafter(1.25f, 2.0f), 0));
  EXPECT_FALSE(doubled.y.is_right(NAN, 0));
  EXPECT_FALSE(doubled.y.is_right(INFINITY, 0));
  doubled.y.expect({INFINITY}, 0.25);
  EXPECT_TRUE(doubled.y.is_right(INFINITY, 0));
  EXPECT_FALSE(doubled.y.is_right(-INFINITY, 0));
}

TEST(Expectation, OfChosenElementsComparesThese) {
  Doubled doubled(4);
  doubled.y.expect_at({1, 3}, {10, 30}, {0, 1});
  doubled.y.result = {5, 10, 5, 31};
  EXPECT_FALSE(doubled.y.mismatch());
  doubled.y.result = {5, 10, 5, 32};
  EXPECT_EQ(doubled.y.mismatch()->first, 1u);
  EXPECT_EQ(doubled.y.mismatch()->count, 1u);
}

// Long arrays are compared by several threads.
TEST(Expectation, CountsAndNamesTheFirstInALongArrayToo) {
  constexpr std::size_t kSize = 300'007;
  Doubled doubled(kSize);
  doubled.y.expect(std::vector<float>(kSize, 1));
  doubled.y.result.assign(kSize, 1);
  EXPECT_FALSE(doubled.y.mismatch());
  doubled.y.result[123'456] = doubled.y.result[kSize - 1] = 2;
  EXPECT_EQ(doubled.y.mismatch()->first, 123'456u);
  EXPECT_EQ(doubled.y.mismatch()->count, 2u);
}

TEST(Description, WithoutAPartIsRefused) {
  Operation operation;
  EXPECT_EQ(message_of([&] { complete(operation, {1}); }),
            "describe_operation() gives no extents.");
  operation.extents = {{"--n N", "elements", 100, 5, 7}, {"--m M", "more", 100, 5, 7}};
  EXPECT_EQ(message_of([&] {
              complete(operation, {1, 1});
            }),
            "describe_operation() gives no shapes, and the tests need some.");
  operation.shapes = {{1, 2}};
  EXPECT_EQ(message_of([&] {
              complete(operation, {1, 1});
            }),
            "describe_operation() gives no `make`.");
  operation.make = [](const Shape& shape) { return std::make_unique<Doubled>(shape[0]); };
  EXPECT_EQ(message_of([&] { complete(operation, {1}); }),
            "a shape has 1 sizes, and describe_operation() gives 2 extents.");
  operation.choices = {{"--bits", {{"--bits 32", "floats"}, {"--bits 64", "doubles"}}}};
  EXPECT_EQ(complete(operation, {3, 4}), (Shape{3, 4, 0}));  // the first of each choice
  EXPECT_EQ(complete(operation, {3, 4, 1}), (Shape{3, 4, 1}));
}

}  // namespace
