#include "chapters/ch10_many_gpus/many_gpus.h"
#include "chapters/ch10_many_gpus/harness/problem.h"
#include "chapters/ch10_many_gpus/harness/reference.h"

#include "common/harness/random.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/support/launch_errors.h"

#include <cmath>
#include <numeric>
#include <tuple>

namespace {

using Doubles = std::vector<double>;

// The data that stays on the GPUs from call to call.
struct OnGpus_ {
  explicit OnGpus_(int gpus) : group(gpus), d_dot(group.gpus()[0], {NAN}) {}

  double dot(const Doubles& a, const Doubles& b) {
    const DividedVectors vectors(group, a.data(), b.data(), a.size());
    return dot(vectors);
  }
  double dot(const DividedVectors& vectors) {
    make_last_gpu_current();
    dot_product(group.gpus(), vectors.shares(), d_dot.data());
    expect_no_error_left();
    CUDA_CHECK(cudaStreamSynchronize(group.gpus()[0].stream));
    d_dot.expect_intact_guards("the result");
    const double result = d_dot.to_host().front();
    group.wait();
    return result;
  }

  GpuGroup group;
  GuardedOn<double> d_dot;
};

void expect_near_reference(double actual, const Doubles& a, const Doubles& b) {
  const DotReference expected = dot_product_reference(a.data(), b.data(), a.size());
  EXPECT_NEAR(actual, expected.dot, dot_tolerance(longest_chain(a.size()), expected.magnitude))
      << "of vectors of " << a.size() << " doubles";
}

class DotOnGpus : public OnGpusTest,
                  public testing::WithParamInterface<std::tuple<int, std::size_t>> {
 protected:
  static int gpus() { return std::get<0>(GetParam()); }
  static std::size_t size() { return std::get<1>(GetParam()); }
};

TEST_P(DotOnGpus, MatchesReference) {
  if (gpus() > std::min(gpus_there(), most_gpus())) GTEST_SKIP() << "for more GPUs than it uses";
  const Doubles a = random_doubles(size(), /*seed=*/size()), b = random_doubles(size(), size() + 1);
  expect_near_reference(OnGpus_(gpus()).dot(a, b), a, b);
}

// None; fewer than GPUs, as many, one more; a warp and a tile of 2048 per GPU, and one more or
// less; primes.
INSTANTIATE_TEST_SUITE_P(Sizes, DotOnGpus,
                         testing::Combine(testing::Values(1, 2, 3, 4),
                                          testing::Values(0, 1, 2, 3, 4, 5, 127, 2047, 2048, 4097,
                                                          8191, 10007, 100003)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "_gpus_size_" +
                                  std::to_string(std::get<1>(info.param));
                         });

class DotOnAll : public OnGpusTest {
 protected:
  static int used_gpus() { return std::min({gpus_there(), most_gpus(), 4}); }
  const Doubles a = random_doubles(10007, /*seed=*/2), b = random_doubles(10007, /*seed=*/3);
};

// In each run a different product is the only one that is not 0, so every GPU's share is checked.
TEST_F(DotOnAll, SeesEachShare) {
  OnGpus_ on_gpus(used_gpus());
  for (int part = 0; part < 8; ++part) {
    for (const std::size_t i : {a.size() * part / 8, a.size() * (part + 1) / 8 - 1}) {
      Doubles one_a(a.size(), 0.0), one_b(a.size(), 0.0);
      one_a[i] = 3;
      one_b[i] = 5;
      EXPECT_EQ(on_gpus.dot(one_a, one_b), 15.0) << "element " << i << " of a is 3 and of b 5";
    }
  }
}

TEST_F(DotOnAll, IsExactForIntegers) {
  Doubles one_to_n(10007), twice(10007);
  std::iota(one_to_n.begin(), one_to_n.end(), 1.0);
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = 2 * one_to_n[i];
  const double n = 10007;
  EXPECT_EQ(OnGpus_(used_gpus()).dot(one_to_n, twice), n * (n + 1) * (2 * n + 1) / 3);
}

// Several calls with the same workspace, between which the host does not wait.
TEST_F(DotOnAll, CanBeCalledAgainAtOnce) {
  OnGpus_ on_gpus(used_gpus());
  const DividedVectors vectors(on_gpus.group, a.data(), b.data(), a.size());
  for (int call = 0; call < 5; ++call) {
    dot_product(on_gpus.group.gpus(), vectors.shares(), on_gpus.d_dot.data());
  }
  expect_near_reference(on_gpus.dot(vectors), a, b);
}

TEST_F(DotOnAll, IsDeterministic) {
  OnGpus_ on_gpus(used_gpus());
  const double first = on_gpus.dot(a, b);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(on_gpus.dot(a, b), first);
}

TEST_F(DotOnAll, CarriesNan) {
  Doubles with_nan = a;
  with_nan.back() = NAN;
  EXPECT_TRUE(std::isnan(OnGpus_(used_gpus()).dot(with_nan, b)));
}

TEST_F(DotOnAll, ReportsEachLaunchThatFails) {
  OnGpus_ on_gpus(used_gpus());
  const DividedVectors vectors(on_gpus.group, a.data(), b.data(), a.size());
  expect_error_of_each_launch([&] {
    on_gpus.group.wait();  // for the work that the previous call had queued when it failed
    dot_product(on_gpus.group.gpus(), vectors.shares(), on_gpus.d_dot.data());
  });
  on_gpus.group.wait();
}

TEST(Shares, CoverAllAndDifferByOne) {
  for (const std::size_t count : {0, 1, 2, 7, 100}) {
    for (const std::size_t gpus : {1, 2, 3, 16}) {
      EXPECT_EQ(share_begin(count, gpus, 0), 0u);
      EXPECT_EQ(share_begin(count, gpus, gpus), count);
      for (std::size_t g = 0; g < gpus; ++g) {
        const std::size_t size = share_begin(count, gpus, g + 1) - share_begin(count, gpus, g);
        EXPECT_TRUE(size == count / gpus || size == count / gpus + 1) << count << " on " << gpus;
      }
    }
  }
}

// Added one at a time, the small products would be lost by rounding, and the sum would be 2^53.
TEST(DotReference, KeepsWhatAdditionsRoundAway) {
  Doubles large_and_small(1009, 0.5);
  const Doubles quarters(1009, 0.25);
  large_and_small[0] = 0x1p55;
  EXPECT_EQ(dot_product_reference(large_and_small.data(), quarters.data(), 1009).dot, 0x1p53 + 126);
}

}  // namespace
