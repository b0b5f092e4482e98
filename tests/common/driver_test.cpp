#include "common/harness/driver.h"
#include "common/harness/relative_errors.h"
#include "common/harness/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Check, then time: the order of a program's steps, on a device that only claims to be a GPU.

namespace {

Program program(bool is_timed, bool prints_csv = false) {
  return {"ch9_program", {"A GPU", "580.1", "13.0", 1000, false}, is_timed, prints_csv};
}

// A size is a number of bytes of device memory.
struct Bytes {
  static Sizes<int> sizes(const std::optional<int>& asked, bool is_timed) {
    return sizes_of(asked, 10, 100, is_timed);
  }
  static MemoryNeed memory_need(int size, bool is_timed) {
    return {is_timed ? "timing" : "checking", 1.0 * size, 0, largest_that_fits("--size", size)};
  }
};

Measurement measurement_of(int size) {
  return {
      std::to_string(size) + " bytes", {}, {{2, 2, 2}, 1e6}, {"copy", "copy", {{1, 1, 1}, 1e6}}};
}

// The calls in order, such as "check 10, measure 100", and the output.
struct Steps {
  std::string calls, out;
};
Steps steps_of(const Program& program, const std::optional<int>& asked) {
  std::string calls;
  testing::internal::CaptureStdout();
  check_then_time<Bytes>(
      program, asked,
      [&](int size) {
        calls += "check " + std::to_string(size);
        return std::to_string(size) + " bytes, all right";
      },
      [&](int size) {
        calls += ", measure " + std::to_string(size);
        return measurement_of(size);
      });
  return {calls, testing::internal::GetCapturedStdout()};
}

TEST(CheckThenTime, ChecksTheGivenSizeIfItDoesNotTime) {
  EXPECT_EQ(steps_of(program(/*is_timed=*/false), std::nullopt).calls, "check 10");
  const Steps asked = steps_of(program(/*is_timed=*/false), 7);
  EXPECT_EQ(asked.calls, "check 7");
  EXPECT_EQ(asked.out, "ch9_program: 7 bytes, all right\n");
}

TEST(CheckThenTime, TimesTheGivenSizeAfterACheck) {
  EXPECT_EQ(steps_of(program(/*is_timed=*/true), std::nullopt).calls, "check 10, measure 100");
  const Steps asked = steps_of(program(/*is_timed=*/true), 7);
  EXPECT_EQ(asked.calls, "check 10, measure 7");
  EXPECT_EQ(asked.out.rfind("ch9_program: 10 bytes, all right\nch9_program: 7 bytes on A GPU\n", 0),
            0u)
      << asked.out;
}

TEST(CheckThenTime, PrintsOnlyTheTableForCsv) {
  const Steps steps = steps_of(program(/*is_timed=*/true, /*prints_csv=*/true), 7);
  EXPECT_EQ(steps.out.rfind("program,median_ms", 0), 0u) << steps.out;
}

TEST(CheckThenTime, RefusesASizeThatDoesNotFitBeforeItRuns) {
  std::string calls;
  const auto check = [&](int) { return calls += "check"; };
  const auto measure = [&](int size) {
    calls += ", measure";
    return measurement_of(size);
  };
  const auto refusal = [&](bool is_timed) -> std::string {
    try {
      check_then_time<Bytes>(program(is_timed), std::optional(2000), check, measure);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(/*is_timed=*/false).rfind("checking: ", 0), 0u);
  EXPECT_EQ(calls, "");
  testing::internal::CaptureStdout();
  const std::string timed = refusal(/*is_timed=*/true);
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(timed.rfind("timing: ", 0), 0u);
  EXPECT_EQ(calls, "check");
  EXPECT_NE(timed.find("The largest --size that fits is about 1000."), std::string::npos) << timed;
}

TEST(CheckThenTime, NeverTimesAWrongResult) {
  const auto wrong = [](int) -> std::string { throw std::runtime_error("WRONG: y[3]"); };
  const auto measure = [](int size) {
    ADD_FAILURE() << "was timed";
    return measurement_of(size);
  };
  EXPECT_THROW(
      check_then_time<Bytes>(program(/*is_timed=*/true), std::optional<int>(), wrong, measure),
      std::runtime_error);
}

TEST(CheckThenTime, HasNoTableWithoutATime) {
  const auto check = [](int) -> std::string {
    ADD_FAILURE() << "ran although it was refused";
    return "";
  };
  EXPECT_THROW(check_then_time<Bytes>(program(/*is_timed=*/true, /*prints_csv=*/true),
                                      std::optional<int>(), check, nullptr),
               UsageError);
}

// Records the calls to it. After the timing its check fails if the size is 13.
class Noted final : public TimedProblem {
 public:
  static std::string& notes() {
    static std::string notes;
    return notes;
  }
  Noted(int size, std::uint64_t seed) : size_(size) { note("seed " + std::to_string(seed)); }
  void run() override { note("run"); }
  std::string check() override {
    note("check");
    if (is_timed_ && size_ == 13) throw std::runtime_error("WRONG after the timing");
    return "right";
  }
  Timings time() override {
    is_timed_ = true;
    note("time");
    return {{1, 1, 1}, {1, 1, 1}};
  }
  Measurement measurement(const Timings&) const override {
    note("measurement");
    return measurement_of(size_);
  }

 private:
  static void note(const std::string& text) { notes() += text + ", "; }
  int size_;
  bool is_timed_ = false;
};

class ProblemSteps : public testing::Test {
 protected:
  void SetUp() override { Noted::notes().clear(); }
};

TEST_F(ProblemSteps, ACheckRunsOnce) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no device";
  EXPECT_EQ(check_problem<Noted>(5), "right");
  EXPECT_EQ(Noted::notes(), "seed 1, run, check, ");
}

TEST_F(ProblemSteps, TimedRunsHaveDifferentDataAndAreCheckedToo) {
  measure_problem<Noted>(5);
  EXPECT_EQ(Noted::notes(), "seed 101, time, check, measurement, ");
}

TEST_F(ProblemSteps, AResultThatIsWrongAfterTheTimingIsNotAMeasurement) {
  EXPECT_THROW(measure_problem<Noted>(13), std::runtime_error);
  EXPECT_EQ(Noted::notes(), "seed 101, time, check, ");
}

TEST(SampleOf, HasAllOfAFew) {
  std::vector<int> all(7);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sample_of(7, 7, /*seed=*/1), all);
  EXPECT_EQ(sample_of(1, 7, /*seed=*/1), std::vector<int>{0});
}

TEST(SampleOf, HasOneOfEachRangeAndBothEnds) {
  const std::vector<std::size_t> sample = sample_of<std::size_t>(1003, 10, /*seed=*/2);
  ASSERT_EQ(sample.size(), 10u);
  EXPECT_EQ(sample.front(), 0u);
  EXPECT_EQ(sample.back(), 1002u);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_GE(sample[i], 1003 * i / 10);
    EXPECT_LT(sample[i], 1003 * (i + 1) / 10);
  }
  EXPECT_NE(sample, sample_of<std::size_t>(1003, 10, /*seed=*/3));
}

TEST(RelativeErrors, AreRelativeToEachValuesScale) {
  const std::vector<double> actual{1, 2.5, -3};
  const RelativeErrors errors = relative_errors(actual.data(), {1, 2, -4}, {1, 2, 8});
  EXPECT_EQ(errors.largest, 0.25);
  EXPECT_EQ(errors.where, 1u);
  EXPECT_DOUBLE_EQ(errors.rms, std::sqrt((0.25 * 0.25 + 0.125 * 0.125) / 3));
  EXPECT_EQ(errors_text(errors, "distance"), "largest error 0.25 of the distance, rms 0.16");
}

TEST(RelativeErrors, AreInfiniteForOneNanAndZeroForTwo) {
  const std::vector<double> one{1}, nan{NAN};
  EXPECT_EQ(relative_errors(nan.data(), {1}, {1}).largest, INFINITY);
  EXPECT_EQ(relative_errors(one.data(), {NAN}, {1}).largest, INFINITY);
  EXPECT_EQ(relative_errors(nan.data(), {NAN}, {1}).largest, 0);
  EXPECT_EQ(relative_errors(one.data(), {0}, {0}).largest, INFINITY);
  EXPECT_EQ(relative_errors(one.data(), {}, {}).rms, 0);
}

}  // namespace
