#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/format.h"
#include "common/harness/gpu_timer.h"
#include "common/harness/options.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// ---- compare.h ----

std::optional<std::pair<std::size_t, std::size_t>> first_and_count(
    const std::vector<float>& actual, const std::vector<float>& expected, float rel_tolerance = 0,
    float abs_tolerance = 0) {
  const auto mismatch = find_mismatch(actual, expected, rel_tolerance, abs_tolerance);
  if (!mismatch) return std::nullopt;
  return std::pair(mismatch->first, mismatch->count);
}

using FirstAndCount = std::pair<std::size_t, std::size_t>;

TEST(FindMismatch, NoneInEqualVectors) {
  EXPECT_EQ(first_and_count({1, -2, 3}, {1, -2, 3}), std::nullopt);
  EXPECT_EQ(first_and_count({}, {}), std::nullopt);
  EXPECT_EQ(first_and_count({-0.0f}, {0.0f}), std::nullopt);
}

TEST(FindMismatch, FirstAndCount) {
  EXPECT_EQ(first_and_count({1, 2, 3, 4, 5}, {1, 9, 3, 9, 9}), FirstAndCount(1, 3));
  EXPECT_EQ(first_and_count({9, 2}, {1, 2}), FirstAndCount(0, 1));
  EXPECT_EQ(first_and_count({1, 9}, {1, 2}), FirstAndCount(1, 1));
}

TEST(FindMismatch, NaNOnEitherSide) {
  EXPECT_EQ(first_and_count({1, kNaN}, {1, 2}), FirstAndCount(1, 1));
  EXPECT_EQ(first_and_count({1, 2}, {1, kNaN}), FirstAndCount(1, 1));
  EXPECT_EQ(first_and_count({kNaN}, {kNaN}), FirstAndCount(0, 1));
  EXPECT_EQ(first_and_count({kNaN}, {1}, 1e30f, 1e30f), FirstAndCount(0, 1));
}

TEST(FindMismatch, EqualInfinitiesAreEqual) {
  EXPECT_FALSE(find_mismatch<float>({kInfinity, -kInfinity}, {kInfinity, -kInfinity}));
}

TEST(FindMismatch, ANumberInsteadOfInfinity) {
  EXPECT_EQ(first_and_count({1}, {kInfinity}, 0.5f, 0.5f), FirstAndCount(0, 1));
}

TEST(FindMismatch, InfinityInsteadOfANumber) {
  EXPECT_EQ(first_and_count({kInfinity}, {1}, 0.5f, 0.5f), FirstAndCount(0, 1));
  EXPECT_EQ(first_and_count({-kInfinity}, {kInfinity}), FirstAndCount(0, 1));
}

TEST(FindMismatch, ADifferentLength) {
  EXPECT_EQ(first_and_count({1, 2}, {1, 2, 3, 4}), FirstAndCount(2, 2));
  EXPECT_EQ(first_and_count({1, 2, 3}, {1, 2}), FirstAndCount(2, 1));
  EXPECT_EQ(first_and_count({}, {1}), FirstAndCount(0, 1));
  EXPECT_EQ(first_and_count({9, 2}, {1, 2, 3}), FirstAndCount(0, 2));
}

TEST(FindMismatch, AbsoluteToleranceIsInclusive) {
  EXPECT_EQ(first_and_count({1.5f}, {1.0f}, 0, 0.5f), std::nullopt);
  EXPECT_EQ(first_and_count({0.5f}, {1.0f}, 0, 0.5f), std::nullopt);
  EXPECT_EQ(first_and_count({std::nextafter(1.5f, 2.0f)}, {1.0f}, 0, 0.5f), FirstAndCount(0, 1));
}

TEST(FindMismatch, RelativeToleranceIsOfTheExpectedValue) {
  EXPECT_EQ(first_and_count({-10}, {-8}, 0.25f), std::nullopt);
  EXPECT_EQ(first_and_count({-8}, {-10}, 0.25f), std::nullopt);
  EXPECT_EQ(first_and_count({-10.5f}, {-8}, 0.25f), FirstAndCount(0, 1));
  EXPECT_EQ(first_and_count({1e-30f}, {0}, 0.25f), FirstAndCount(0, 1));
}

TEST(FindMismatch, TolerancesAddUp) {
  EXPECT_EQ(first_and_count({11}, {8}, 0.25f, 1), std::nullopt);
  EXPECT_EQ(first_and_count({11.5f}, {8}, 0.25f, 1), FirstAndCount(0, 1));
}

TEST(MismatchText, HasAllDigitsOfTheType) {
  const std::vector<float> expected{1, 0.1f};
  EXPECT_EQ(mismatch_text({1, 1}, "y", {1, 0.3f}, expected),
            "1 of 2 elements differ. The first is y[1]: expected 0.100000001, got 0.300000012.");
}

TEST(MismatchText, HasNoSignForNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {nan, -nan}) {
    EXPECT_EQ(mismatch_text<float>({0, 1}, "y", {value}, {2}),
              "1 of 1 elements differ. The first is y[0]: expected 2, got NaN.");
  }
}

TEST(FindMismatch, Integers) {
  EXPECT_FALSE(find_mismatch<int>({1, -2}, {1, -2}));
  EXPECT_EQ(find_mismatch<int>({1, -2}, {1, 2})->first, 1u);
  EXPECT_EQ(find_mismatch<unsigned>({5, 1}, {5, 3})->first, 1u);
}

TEST(MismatchText, HasAllDigitsOfAnInteger) {
  EXPECT_EQ(mismatch_text<unsigned>({0, 1}, "counts", {4294967295}, {12}),
            "1 of 1 elements differ. The first is counts[0]: expected 12, got 4294967295.");
}

// ---- ceil_div.h ----

static_assert(ceil_div(0, 32) == 0 && ceil_div(1, 32) == 1 && ceil_div(31, 32) == 1);
static_assert(ceil_div(32, 32) == 1 && ceil_div(33, 32) == 2 && ceil_div(64, 32) == 2);
static_assert(ceil_div(7, 1) == 7);
static_assert(ceil_div(INT_MAX - 32, 32) == 67108863);
static_assert(std::is_same_v<decltype(ceil_div(1, 2)), int>);
static_assert(ceil_div(std::size_t{33}, 16) == 3 && ceil_div(33, std::size_t{16}) == 3);
static_assert(std::is_same_v<decltype(ceil_div(std::size_t{1}, 2)), std::size_t>);

TEST(CeilDiv, SixtyFourBits) {
  const std::size_t size = (std::size_t{1} << 40) + 1;
  EXPECT_EQ(ceil_div(size, std::size_t{256}), (std::size_t{1} << 32) + 1);
  EXPECT_EQ(ceil_div(size - 1, std::size_t{256}), std::size_t{1} << 32);
}

// ---- random.h ----

TEST(RandomFloats, AreInTheirRange) {
  const std::vector<float> values = random_floats(100000, /*seed=*/1);
  ASSERT_EQ(values.size(), 100000u);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1.0f);
  EXPECT_LT(*greatest, 1.0f);
  EXPECT_LT(*least, -0.999f);  // and they cover the whole range
  EXPECT_GT(*greatest, 0.999f);
}

TEST(RandomFloats, DifferWithASeedOfATeacher) {
  const std::vector<float> public_values = random_floats(100, /*seed=*/1);
  setenv("WORKBOOK_SEED", "12", 1);
  const std::vector<float> hidden_values = random_floats(100, /*seed=*/1);
  setenv("WORKBOOK_SEED", "0x12", 1);
  EXPECT_THROW(random_floats(100, /*seed=*/1), std::invalid_argument);
  unsetenv("WORKBOOK_SEED");
  EXPECT_NE(hidden_values, public_values);
  EXPECT_EQ(random_floats(100, /*seed=*/1), public_values);
}

TEST(RandomFloats, AreTheSameForTheSameSeed) {
  EXPECT_EQ(random_floats(1000, 7), random_floats(1000, 7));
  const std::vector<float> longer = random_floats(1000, 7);
  EXPECT_EQ(random_floats(10, 7), std::vector<float>(longer.begin(), longer.begin() + 10));
}

TEST(RandomFloats, AreThoseOfOneThread) {  // several threads compute a large array
  const std::vector<float> values = random_floats(1'100'003, 7);
  RandomBits bits(7);
  bits.skip(1'100'002);
  EXPECT_EQ(values.back(), static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f);
  const std::vector<float> few = random_floats(1'000'000, 7);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), values.begin()));
}

TEST(RandomFloats, DifferFromSeedToSeed) {
  const std::vector<float> first = random_floats(1000, 7), second = random_floats(1000, 8);
  int equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i];
  EXPECT_LE(equal, 1);
}

TEST(RandomFloats, HaveBothSignsEvenly) {  // 4 standard deviations of 100000 values
  const std::vector<float> values = random_floats(100000, /*seed=*/3);
  const auto negative = std::count_if(values.begin(), values.end(), [](float x) { return x < 0; });
  EXPECT_NEAR(static_cast<double>(negative), 50000, 4 * std::sqrt(100000 / 4.0));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT_NEAR(sum / 100000, 0, 4 * std::sqrt(1 / 3.0 / 100000));
}

TEST(RandomFloats, AdjacentElementsDiffer) {
  const std::vector<float> values = random_floats(10000, /*seed=*/0);
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
}

TEST(RandomDoubles, AreSpreadOverBothSigns) {
  const std::vector<double> values = random_doubles(100000, /*seed=*/1);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1.0);
  EXPECT_LT(*least, -0.999);
  EXPECT_LT(*most, 1.0);
  EXPECT_GT(*most, 0.999);
  EXPECT_NE(values, random_doubles(100000, /*seed=*/2));
  EXPECT_EQ(values, random_doubles(100000, /*seed=*/1));
  EXPECT_NE(values[0], static_cast<float>(values[0])) << "these are doubles, not floats";
}

TEST(RandomFloats, OfNoLength) { EXPECT_TRUE(random_floats(0, 1).empty()); }

// ---- options.h ----

Options options_of(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return Options(static_cast<int>(arguments.size()), arguments.data());
}

std::string usage_error_of_rows(std::vector<const char*> arguments) {
  Options options = options_of(std::move(arguments));
  try {
    options.integer("--rows", 1, 100);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionsTest, ValuesInBothForms) {
  Options options = options_of({"--rows", "7", "--cols=-8", "--csv"});
  EXPECT_EQ(options.integer("--cols", -10, 10), -8);
  EXPECT_TRUE(options.flag("--csv"));
  EXPECT_EQ(options.integer("--rows", 1, 100), 7);
  EXPECT_NO_THROW(options.finish("usage"));
}

TEST(OptionsTest, ThatAreNotGiven) {
  Options options = options_of({});
  EXPECT_EQ(options.integer("--rows", 1, 100), std::nullopt);
  EXPECT_FALSE(options.flag("--csv"));
  EXPECT_NO_THROW(options.finish("usage"));
}

TEST(OptionsTest, RangeIncludesItsEnds) {
  EXPECT_EQ(usage_error_of_rows({"--rows", "1"}), "");
  EXPECT_EQ(usage_error_of_rows({"--rows", "100"}), "");
  EXPECT_EQ(usage_error_of_rows({"--rows", "0"}),
            "--rows takes an integer from 1 to 100, not '0'.");
  EXPECT_EQ(usage_error_of_rows({"--rows", "101"}),
            "--rows takes an integer from 1 to 100, not '101'.");
}

TEST(OptionsTest, TextInsteadOfANumber) {
  EXPECT_EQ(usage_error_of_rows({"--rows", "many"}),
            "--rows takes an integer from 1 to 100, not 'many'.");
  EXPECT_EQ(usage_error_of_rows({"--rows", "7x"}),
            "--rows takes an integer from 1 to 100, not '7x'.");
  EXPECT_EQ(usage_error_of_rows({"--rows", "7.0"}),
            "--rows takes an integer from 1 to 100, not '7.0'.");
  EXPECT_EQ(usage_error_of_rows({"--rows="}), "--rows takes an integer from 1 to 100, not ''.");
}

TEST(OptionsTest, NumberTooLargeForAnyType) {
  EXPECT_EQ(usage_error_of_rows({"--rows", "99999999999999999999"}),
            "--rows takes an integer from 1 to 100, not '99999999999999999999'.");
}

TEST(OptionsTest, MissingValue) {
  EXPECT_EQ(usage_error_of_rows({"--rows"}),
            "--rows takes an integer from 1 to 100, but none is given.");
}

TEST(OptionsTest, Text) {
  Options options = options_of({"--input", "a b.csv", "--output=x"});
  EXPECT_EQ(options.text("--output", "a name"), "x");
  EXPECT_EQ(options.text("--input", "a name"), "a b.csv");
  EXPECT_EQ(options.text("--input", "a name"), std::nullopt);
  EXPECT_NO_THROW(options.finish("usage"));
}

TEST(OptionsTest, MissingText) {
  for (const char* argument : {"--input", "--input="}) {
    Options options = options_of({argument});
    try {
      options.text("--input", "the name of a file");
      FAIL() << argument;
    } catch (const UsageError& error) {
      EXPECT_STREQ(error.what(), "--input takes the name of a file, but none is given.");
    }
  }
}

TEST(OptionsTest, AnUnknownOption) {
  Options options = options_of({"--rows", "7", "--colls", "8"});
  options.integer("--rows", 1, 100);
  try {
    options.finish("usage: program");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "'--colls' is not an option.\nusage: program");
  }
}

TEST(OptionsTest, AnOptionThatIsGivenTwice) {
  Options options = options_of({"--rows", "7", "--rows=8"});
  EXPECT_EQ(options.integer("--rows", 1, 100), 7);
  try {
    options.finish("usage: program");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--rows is given more than once. Write it once.");
  }
}

TEST(OptionsTest, HasTheOptionsThatWereNotReadYet) {
  Options options = options_of({"--rows=7", "--csv"});
  EXPECT_TRUE(options.has("--rows"));
  EXPECT_TRUE(options.has("--csv"));
  EXPECT_FALSE(options.has("--cols"));
  options.flag("--csv");
  EXPECT_FALSE(options.has("--csv"));
}

// ---- gpu_timer.h ----

TEST(Summarise, OddCount) {
  const Timing timing = summarise({5, 1, 3});
  EXPECT_EQ(timing.median_ms, 3);
  EXPECT_EQ(timing.min_ms, 1);
  EXPECT_EQ(timing.max_ms, 5);
}

TEST(Summarise, AnEvenCountTakesTheHigherMiddleValue) {
  EXPECT_EQ(summarise({4, 1, 3, 2}).median_ms, 3);
}

TEST(Summarise, OneRun) {
  const Timing timing = summarise({2.5});
  EXPECT_EQ(timing.median_ms, 2.5);
  EXPECT_EQ(timing.min_ms, 2.5);
  EXPECT_EQ(timing.max_ms, 2.5);
}

using TimeInterleaved = DeviceTest;

TEST_F(TimeInterleaved, WorkThatWaitsForTheDeviceEndsWhenTheHoldDoes) {
  int runs = 0;
  const auto timings = time_interleaved({[&] {
                                          ++runs;
                                          CUDA_CHECK(cudaDeviceSynchronize());
                                        }},
                                        /*repeats=*/3);
  EXPECT_EQ(timings.size(), 1u);
  EXPECT_GE(runs, 2 + 3);
}

// ---- device_buffer.h ----

class DeviceBufferTest : public DeviceTest {};

static_assert(!std::is_copy_constructible_v<DeviceBuffer<int>> &&
              !std::is_copy_assignable_v<DeviceBuffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<DeviceBuffer<int>>);

TEST_F(DeviceBufferTest, RoundTrip) {
  const std::vector<int> h_values{3, -1, 4};
  const DeviceBuffer<int> d_values(h_values);
  EXPECT_EQ(d_values.size(), 3u);
  EXPECT_EQ(d_values.size_bytes(), 12u);
  EXPECT_EQ(d_values.to_host(), h_values);
}

TEST_F(DeviceBufferTest, OfNoSizeOwnsNothing) {
  DeviceBuffer<int> d_values(0);
  EXPECT_EQ(d_values.data(), nullptr);
  EXPECT_NO_THROW(d_values.fill_bytes(0));
  EXPECT_TRUE(d_values.to_host().empty());
  EXPECT_TRUE(DeviceBuffer<int>(std::vector<int>{}).to_host().empty());
}

TEST_F(DeviceBufferTest, FillBytes) {
  DeviceBuffer<unsigned> d_values(2);
  d_values.fill_bytes(0x5a);
  EXPECT_EQ(d_values.to_host(), (std::vector<unsigned>(2, 0x5a5a5a5au)));
  DeviceBuffer<float> d_floats(1);
  d_floats.fill_bytes(0xff);
  EXPECT_TRUE(std::isnan(d_floats.to_host()[0]));
}

TEST_F(DeviceBufferTest, MoveConstructionTakesTheMemory) {
  DeviceBuffer<int> d_first(std::vector<int>{1, 2});
  const int* const data = d_first.data();
  DeviceBuffer<int> d_second(std::move(d_first));
  EXPECT_EQ(d_second.data(), data);
  EXPECT_EQ(d_second.to_host(), (std::vector<int>{1, 2}));
  EXPECT_EQ(d_first.data(), nullptr);
  EXPECT_EQ(d_first.size(), 0u);
}

TEST_F(DeviceBufferTest, MoveAssignmentTakesTheMemory) {
  DeviceBuffer<int> d_first(std::vector<int>{1, 2}), d_second(std::vector<int>{3});
  d_second = std::move(d_first);
  EXPECT_EQ(d_second.to_host(), (std::vector<int>{1, 2}));
}

TEST_F(DeviceBufferTest, FreesItsMemory) {
  char* d_data = nullptr;
  {
    DeviceBuffer<char> d_first(64 << 20);
    const DeviceBuffer<char> d_second(std::move(d_first));
    d_data = const_cast<char*>(d_second.data());
  }
  EXPECT_EQ(cudaFree(d_data), cudaErrorInvalidValue);  // it was already freed
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(DeviceBufferTest, TooLargeThrows) {
  try {
    const DeviceBuffer<char> d_values(std::numeric_limits<std::size_t>::max() / 2);
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), cudaErrorMemoryAllocation);
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

// ---- cuda_check.h ----

TEST(CudaCheck, ReportsTheCallAndItsLine) {
  try {
    CUDA_CHECK(cudaError_t{cudaErrorInvalidValue});
    FAIL();
  } catch (const CudaError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), cudaErrorInvalidValue);
    EXPECT_NE(message.find("common_test.cpp:" + std::to_string(__LINE__ - 5) + ": "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("cudaError_t{cudaErrorInvalidValue}: "), std::string::npos) << message;
    EXPECT_NE(message.find(": cudaErrorInvalidValue: invalid argument"), std::string::npos)
        << message;
  }
}

TEST(CudaCheck, CutsOffLongMessages) {
  const std::string message(2000, 'x');
  EXPECT_EQ(CudaError(cudaErrorUnknown, message.c_str()).what(), message.substr(0, 999));
  try {
    throw_if_failed(cudaErrorUnknown, message.c_str(), "file.cu", 7);
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.what(), "file.cu:7: " + message.substr(0, 999 - 11));
  }
}

TEST(CudaCheck, SuccessDoesNotThrow) { EXPECT_NO_THROW(CUDA_CHECK(cudaSuccess)); }

TEST(CudaCheck, EvaluatesItsCallOnce) {
  int calls = 0;
  const auto call = [&] {
    ++calls;
    return cudaSuccess;
  };
  CUDA_CHECK(call());
  EXPECT_EQ(calls, 1);
}

}  // namespace
