#include "common/harness/program.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/measurement.h"
#include "common/harness/printable.h"
#include "common/harness/sm_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Code that all programs share: common/harness/program.h, measurement.h, cpu_baseline.h and
// format.h.

namespace {

TEST(Format, HasNoLimitOfLength) {
  EXPECT_EQ(format("%d %s %.2f", -3, "of", 0.5), "-3 of 0.50");
  EXPECT_EQ(format("%s", std::string(5000, 'x').c_str()), std::string(5000, 'x'));
}

TEST(UsageText, AlignsTheMeaningsOfOptions) {
  EXPECT_EQ(usage_text({{"--rows R  --cols C", "the matrix"}, {"--size N", "how many"}}),
            "Options: --rows R  --cols C  the matrix\n"
            "         --size N            how many\n"
            "         --check             check the result, measure no time\n"
            "         --csv               print the measurement as a CSV table");
}

struct Ended {
  int exit_code;
  std::string out, err;
};

// Runs program_main with one option of its own, --size.
template <typename Run>
Ended run_main(std::vector<const char*> arguments, const Run& run) {
  arguments.insert(arguments.begin(), "/some/where/ch9_program");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = program_main(
      static_cast<int>(arguments.size()), arguments.data(), {{"--size N", "how many"}},
      [](Options& options) { return options.integer("--size", 1, 9).value_or(0); }, run);
  const std::string out = testing::internal::GetCapturedStdout();
  return {exit_code, out, testing::internal::GetCapturedStderr()};
}

class ProgramMain : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no device";
  }
};

TEST(Printable, HasNoCommandOfATerminal) {
  EXPECT_EQ(printable("a\x1b[2J\x07 \x7f"), "a?[2J? ?");
  EXPECT_EQ(printable("\xc2\x9b \xe2\x80\xae \xe2\x81\xa6"), "? ? ?");
  EXPECT_EQ(printable("Gr\xc3\xb6\xc3\x9f"
                      "e \xe2\x80\x93\n\t\xc2"),
            "Gr\xc3\xb6\xc3\x9f"
            "e \xe2\x80\x93\n\t\xc2");
}

TEST_F(ProgramMain, EchoesNoCommandOfATerminal) {
  const Ended ended = run_main({"--\x1b[2J"}, [](const Program&, long long) {});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("ch9_program: '--?[2J' is not an option."), std::string::npos)
      << ended.err;
}

TEST_F(ProgramMain, PassesOptionsAndName) {
  const Ended ended = run_main({"--check", "--size", "7"}, [](const Program& program, long long n) {
    EXPECT_EQ(program.name, "ch9_program");
    EXPECT_EQ(n, 7);
    EXPECT_FALSE(program.is_timed);
    EXPECT_FALSE(program.prints_csv);
  });
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out + ended.err, "");
}

TEST_F(ProgramMain, TimesOnAGpuOnly) {
  run_main({}, [](const Program& program, long long) {
    EXPECT_EQ(program.is_timed, !program.device.simulated);
  });
}

TEST_F(ProgramMain, WrongOptionsAreExitCode2) {
  const auto run = [](const Program&, long long) {
    ADD_FAILURE() << "ran although it was refused";
  };
  EXPECT_EQ(run_main({"--size", "0"}, run).exit_code, 2);
  EXPECT_EQ(run_main({"--check", "--csv"}, run).err,
            "ch9_program: --csv prints times, but nothing is timed without a GPU or with "
            "--check.\n");
  const Ended unknown = run_main({"--rows", "3"}, run);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err.rfind("ch9_program: '--rows' is not an option.\nOptions: --size N", 0), 0u)
      << unknown.err;
}

TEST_F(ProgramMain, WrongResultsAreExitCode1) {
  const Ended wrong = run_main(
      {"--check"}, [](const Program&, long long) { throw std::runtime_error("WRONG: y[3]"); });
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.err, "ch9_program: WRONG: y[3]\n");
}

TEST_F(ProgramMain, TooLittleHostMemoryIsReported) {
  const Ended ended =
      run_main({"--check"}, [](const Program&, long long) { throw std::bad_alloc(); });
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("too little memory"), std::string::npos) << ended.err;
}

DeviceInfo device_with(double free_bytes, bool simulated = false) {
  return {"A GPU", "580.1", "13.0", static_cast<std::size_t>(free_bytes), simulated};
}

std::string refusal(const DeviceInfo& device, double device_bytes, double host_bytes = 0) {
  try {
    require_memory(device, {"7 doubles", device_bytes, host_bytes,
                            [](double share) { return format("Take %.0f %%.", 100 * share); }});
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(RequireMemory, ReportsTheNeedAndTheSizeThatFits) {
  EXPECT_EQ(refusal(device_with(1e9), 1e9), "");
  EXPECT_EQ(
      refusal(device_with(1e9), 4e9),
      "7 doubles: 4.00 GB of device memory are needed, but only 1.00 GB are available. Take 25 %.");
}

TEST(RequireMemory, ChecksHostMemoryToo) {
  EXPECT_NE(refusal(device_with(1e9), 1e9, 1e18).find("GB of host memory"), std::string::npos);
}

TEST(RequireMemory, ASimulatedDeviceUsesHostMemory) {
  EXPECT_EQ(refusal(device_with(1e18), 1e17), "");
  EXPECT_NE(refusal(device_with(1e18, true), 1e17).find("GB of host memory"), std::string::npos);
}

std::string printed(bool csv, const std::optional<MeasuredErrors>& accuracy = std::nullopt,
                    const Timing& own = {2.0, 1.5, 4.0}) {
  const Program program{"ch9_program", device_with(1e9), true, csv};
  testing::internal::CaptureStdout();
  print_measurement(program, {"5 x 7 floats",
                              {{"rows", "5"}, {"cols", "7"}},
                              {own, 3e9},
                              {"read probe", "read_probe", {{1.0, 0.5, 2.0}, 2e9}},
                              kGbPerS,
                              {"a note"},
                              accuracy});
  return testing::internal::GetCapturedStdout();
}

TEST(PrintMeasurement, AsText) {
  EXPECT_EQ(printed(false),
            "ch9_program: 5 x 7 floats on A GPU\n"
            "  this program    2.0000 ms   1500.0 GB/s\n"
            "  read probe      1.0000 ms   2000.0 GB/s   the program reaches 75.0 % of it\n"
            "  a note\n");
}

TEST(PrintMeasurement, AsATable) {
  EXPECT_EQ(printed(true),
            "program,rows,cols,median_ms,min_ms,max_ms,gb_per_s,read_probe_median_ms,"
            "read_probe_min_ms,read_probe_max_ms,read_probe_gb_per_s,ratio_to_read_probe,"
            "sm_clock_mhz,device,driver,cuda\n"
            "ch9_program,5,7,2.00000,1.50000,4.00000,1500,1.00000,0.50000,2.00000,2000,0.7500,"
            ",A GPU,580.1,13.0\n");
}

TEST(PrintMeasurement, WithErrorsWhereTheyAreMeasured) {
  const std::string table = printed(true, MeasuredErrors{1.25e-6, 3e-8});
  EXPECT_NE(table.find("ratio_to_read_probe,max_error,rms_error,sm_clock_mhz,device"),
            std::string::npos);
  EXPECT_NE(table.find(",0.7500,1.25e-06,3e-08,,A GPU"), std::string::npos);
}

TEST(PrintMeasurement, WithTheClockWhereItIsKnown) {
  const Timing own{2.0, 1.5, 4.0, 1980};
  EXPECT_NE(printed(true, std::nullopt, own).find(",0.7500,1980,A GPU"), std::string::npos);
  EXPECT_NE(printed(false, std::nullopt, own).find("  SM clock          1980 MHz\n"),
            std::string::npos);
}

// On every machine: a clock at which a GPU can run, or no clock.
TEST(SmClock, IsAFewGigahertzAtMost) {
  const SmClock clock;
  EXPECT_EQ(clock.is_known(), clock.mhz() > 0);
  EXPECT_LT(clock.mhz(), 5000);
}

TEST(ForEachChunk, CoversEveryElementOnce) {
  for (const unsigned threads : {1u, 2u, 7u, 16u}) {
    for (const std::size_t size : {0u, 1u, 6u, 7u, 8u, 1003u}) {
      SCOPED_TRACE(format("%zu by %u threads", size, threads));
      std::vector<std::atomic<int>> visits(size);
      std::atomic<unsigned> chunks{0};
      for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
        EXPECT_LT(chunk, threads);
        EXPECT_LE(last - first, size / threads + 1);
        ++chunks;
        for (std::size_t i = first; i < last; ++i) ++visits[i];
      });
      EXPECT_EQ(chunks, threads);
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(visits[i], 1) << i;
    }
  }
}

TEST(TimeOnCpu, PreparesBeforeEachRun) {
  std::string calls;
  const Timing timing = time_on_cpu([&] { calls += 'r'; }, [&] { calls += 'p'; }, /*repeats=*/3);
  EXPECT_EQ(calls, "prprprpr");  // the first is not counted
  EXPECT_LE(timing.min_ms, timing.median_ms);
}

}  // namespace
