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

// Check, then time: what every program does. A chapter says what, as a class (harness/problem.h).

// What a program computes, of one size, with random data of one seed. It owns the data, and results
// start as NaN or as what cannot be right, so that what is not written shows.
class Problem {
 public:
  virtual ~Problem() = default;

  // Computes once: queues that on the default stream, or does it on the CPU.
  virtual void run() = 0;

  // Compares the last run's result with the reference; throws std::runtime_error, with "WRONG", if
  // it differs or an input has changed. Returns what was right, for a reader, in a line or more:
  // "1000 x 777 floats, all equal to the CPU's result".
  virtual std::string check() = 0;
};

// A problem whose time means something.
class TimedProblem : public Problem {
 public:
  // Times run(), and the chapter's ceiling beside it, in the same process.
  virtual Timings time() = 0;

  // What these times say. The result of the timed runs has been checked before.
  virtual Measurement measurement(const Timings& timings) const = 0;
};

// What a program checks and, on a GPU, what it times after that.
template <typename Size>
struct Sizes {
  Size checked, timed;
};

// Of a program that was asked for one size, or for none. A timed run checks its own result too, so
// the size to time need not be checked before.
template <typename Size>
Sizes<Size> sizes_of(const std::optional<Size>& asked, const Size& to_check, const Size& to_time,
                     bool is_timed) {
  return {is_timed ? to_check : asked.value_or(to_check), asked.value_or(to_time)};
}

// The seeds of a problem's data. One that needs several goes on counting from there.
constexpr std::uint64_t kCheckSeed = 1, kTimedSeed = 101;

// What a program does once it has understood its command line. `check` gets the size to check and
// returns what was right, `measure` the size to time; without a `measure`, nullptr, nothing is
// timed. P knows what the command line means:
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
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside a kernel shows here
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

// The main() of a program; returns the exit code of program_main(). P is a Problem, or a
// TimedProblem, which can be made as P(size, seed), and has besides what check_then_time() needs
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
