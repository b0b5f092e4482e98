#pragma once

#include "common/cuda_check.h"
#include "common/harness/measurement.h"
#include "common/harness/options.h"
#include "common/harness/profiler_range.h"
#include "common/harness/program.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// Every program checks its result, then times it. A chapter defines the computation as a class
// (harness/problem.h).

// A computation of one size, with random data of one seed. It owns the data. Results start as NaN
// or as impossible values, so elements that are not written can be found.
class Problem {
 public:
  virtual ~Problem() = default;

  // Computes once: queues the work on the default stream, or computes on the CPU.
  virtual void run() = 0;

  // Compares the last run's result with the reference; throws std::runtime_error, with "WRONG", if
  // it differs or an input has changed. Returns a description of the correct result, one line or
  // more: "1000 x 777 floats, all equal to the CPU's result".
  virtual std::string check() = 0;
};

// A problem that is also timed.
class TimedProblem : public Problem {
 public:
  // Times run() and the chapter's ceiling, in the same process.
  virtual Timings time() = 0;

  // The measurement from these times. The result of the timed runs has been checked before.
  virtual Measurement measurement(const Timings& timings) const = 0;
};

// The size that a program checks and, on a GPU, the size that it times after that.
template <typename Size>
struct Sizes {
  Size checked, timed;
};

// The sizes for a command line with one size, or with none. A timed run also checks its own result,
// so the size to time does not have to be checked before.
template <typename Size>
Sizes<Size> sizes_of(const std::optional<Size>& asked, const Size& to_check, const Size& to_time,
                     bool is_timed) {
  return {is_timed ? to_check : asked.value_or(to_check), asked.value_or(to_time)};
}

// The seeds of a problem's data. A problem that needs several seeds counts up from these.
constexpr std::uint64_t kCheckSeed = 1, kTimedSeed = 101;

// Runs a program after its command line has been parsed. `check` gets the size to check and returns
// the description of the result; `measure` gets the size to time. If `measure` is nullptr, nothing
// is timed. P interprets the command line:
//
//   Sizes<Size> P::sizes(const Asked&, bool is_timed)
//   MemoryNeed P::memory_need(const Size&, bool is_timed)   to check the size, or to time it
template <typename P, typename Asked, typename Check, typename Measure>
void check_then_time(const Program& program, const Asked& asked, const Check& check,
                     const Measure& measure) {
  constexpr bool kHasTime = !std::is_null_pointer_v<Measure>;
  const bool is_timed = program.is_timed && kHasTime;
  if (!is_timed) refuse_csv(program);
  const auto sizes = P::sizes(asked, is_timed);
  require_memory(program.device, P::memory_need(sizes.checked, /*is_timed=*/false));
  const std::string right = check(sizes.checked);
  if (!program.prints_csv) std::printf("%s: %s\n", program.name.c_str(), right.c_str());
  if constexpr (kHasTime) {
    if (!is_timed) return;
    require_memory(program.device, P::memory_need(sizes.timed, /*is_timed=*/true));
    print_measurement(program, measure(sizes.timed));
  }
}

// Runs a problem once, and checks it.
template <typename P, typename Size>
std::string check_problem(const Size& size) {
  const ProfilerRange range("check");
  P problem(size, kCheckSeed);
  problem.run();
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside a kernel is reported here
  return problem.check();
}

// Times a problem, and checks the result of the timed runs.
template <typename P, typename Size>
Measurement measure_problem(const Size& size) {
  const ProfilerRange range("time");
  P problem(size, kTimedSeed);
  const Timings timings = problem.time();
  problem.check();
  return problem.measurement(timings);
}

// The main() of a program; returns the exit code of program_main(). P is a Problem or a
// TimedProblem with a constructor P(size, seed). In addition to the functions for check_then_time()
// it has
//
//   std::vector<OptionHelp> P::options()
//   Asked P::parse(Options&)
template <typename P>
int run_program(int argc, const char* const* argv) {
  return program_main(
      argc, argv, P::options(), P::parse, [](const Program& program, const auto& asked) {
        const auto check = [](const auto& size) { return check_problem<P>(size); };
        if constexpr (std::is_base_of_v<TimedProblem, P>) {
          const auto measure = [](const auto& size) { return measure_problem<P>(size); };
          check_then_time<P>(program, asked, check, measure);
        } else {
          check_then_time<P>(program, asked, check, nullptr);
        }
      });
}
