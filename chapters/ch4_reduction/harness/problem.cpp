#include "harness/program.h"

#include "harness/command_line.h"
#include "reduction.h"

#include "common/harness/compare.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/harness/read_probe.h"

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace {

// An operation's arrays: random input, an output of NaNs, so that what is not written shows, and a
// workspace that is zeroed once.
class Data {
 public:
  Data(const Operation& operation, std::size_t size, std::uint64_t seed)
      : h_in_(random_doubles(size, seed)),
        expected_(operation.reference(h_in_)),
        tolerance_(operation.tolerance(size)),
        d_in_(h_in_),
        d_out_(expected_.size()),
        d_workspace_(kWorkspaceBytes) {
    d_out_.fill_bytes(0xff);
    d_workspace_.fill_bytes(0);
  }

  void run(const Operation& operation) {
    operation.run(d_in_.data(), d_out_.data(), h_in_.size(), d_workspace_.data(), nullptr);
  }
  void run_probe() { read_probe(d_in_.data(), h_in_.size(), d_workspace_.data()); }

  // The bytes that have to be moved: each input is read once, each output written once.
  double bytes() const { return static_cast<double>(d_in_.size_bytes() + d_out_.size_bytes()); }

  // Throws std::runtime_error if an output is wrong or the input has changed. Returns the outputs.
  std::vector<double> check() const {
    const std::vector<double> h_out = d_out_.to_host();
    if (const auto mismatch = find_mismatch(h_out, expected_, tolerance_)) {
      throw std::runtime_error(format("WRONG for %zu doubles, by more than %.2g: %s", h_in_.size(),
                                      tolerance_,
                                      mismatch_text(*mismatch, "out", h_out, expected_).c_str()));
    }
    if (find_mismatch(d_in_.to_host(), h_in_)) {
      throw std::runtime_error("WRONG: the kernel changed its input.");
    }
    return h_out;
  }

  double tolerance() const { return tolerance_; }

 private:
  std::vector<double> h_in_, expected_;
  double tolerance_;
  DeviceBuffer<double> d_in_, d_out_;
  DeviceBuffer<char> d_workspace_;
};

// Runs the operation once and checks it. A single output is shown to the last bit: whether these
// are the same in the next run is one of the chapter's questions.
void run_and_check(const Operation& operation, std::size_t size, const Program& program) {
  Data data(operation, size, /*seed=*/1);
  data.run(operation);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  const std::vector<double> h_out = data.check();
  if (program.prints_csv) return;
  std::printf("%s: %zu doubles, ", program.name.c_str(), size);
  if (h_out.empty()) {
    std::printf("only read\n");
  } else {
    std::printf("equal to the CPU's result to within %.2g of it\n", data.tolerance());
  }
  if (h_out.size() == 1) std::printf("  result %.17g = %a\n", h_out[0], h_out[0]);
}

// The operation and the read probe, in turn. Checks the result of the timed runs.
Measurement time_beside_probe(const Operation& operation, std::size_t size) {
  Data data(operation, size, /*seed=*/2);
  const std::vector<Timing> timings =
      time_interleaved({[&] { data.run(operation); }, [&] { data.run_probe(); }});
  data.check();
  return measurement(size, {timings[0], data.bytes()}, timings[1]);
}

}  // namespace

int run_program(const Operation& operation, int argc, const char* const* argv) {
  return run_with_size(argc, argv, [&](const Program& program, std::optional<std::size_t> asked) {
    const bool one_output = operation.reference({0.0, 0.0}).size() < 2;
    const int arrays = one_output ? 1 : 2;

    // A timed run checks its own result too, so the size to time need not be checked before.
    const std::size_t checked = program.is_timed ? kCheckSize : asked.value_or(kCheckSize);
    require_memory_for(checked, arrays, program.device);
    run_and_check(operation, checked, program);
    if (program.is_timed) {
      const std::size_t size = asked.value_or(kTimedSize);
      require_memory_for(size, arrays, program.device);
      print_measurement(program, time_beside_probe(operation, size));
    }
  });
}
