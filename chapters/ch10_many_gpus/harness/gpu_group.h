#pragma once

#include "gpu.h"

#include "common/harness/gpu_timer.h"
#include "common/harness/measurement.h"
#include "common/harness/options.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// The GPUs on which the programs of this chapter run.

// Owns streams of the first `count` GPUs, and enables access to each other's memory where possible.
class GpuGroup {
 public:
  explicit GpuGroup(int count);
  ~GpuGroup();
  GpuGroup(const GpuGroup&) = delete;
  GpuGroup& operator=(const GpuGroup&) = delete;

  const std::vector<Gpu>& gpus() const { return gpus_; }
  std::size_t size() const { return gpus_.size(); }

  // "2 GPUs", and the path of bytes between them.
  std::string text() const;

  // Waits until all GPUs have finished.
  void wait() const;

 private:
  std::vector<Gpu> gpus_;
  std::string without_peer_access_;  // a description of the first such pair; empty if there is none
};

// The variable CUDA_SIMULATOR_DEVICES sets the number of the simulator's devices. Sets it to 4
// unless it is set already. Call this before CUDA. Only the simulator reads the variable.
bool simulate_four_gpus();

// The option --gpus, and its value: at least 1; the number of available GPUs by default.
// Throws UsageError if there are fewer GPUs than requested.
constexpr OptionHelp kGpusHelp{"--gpus G", "use the first G GPUs; all by default"};
std::optional<int> parse_gpus(Options& options);
int choose_gpus(const std::optional<int>& asked);

// Calls make() with this GPU as the current device, to allocate its memory.
template <typename Make>
auto made_on(const Gpu& gpu, const Make& make) {
  CUDA_CHECK(cudaSetDevice(gpu.device));
  return make();
}

// Times each of `launches` `repeats` times, alternating between them, after one run without a
// measurement. The L2 caches are flushed before every run. A timed interval starts in the first
// GPU's stream; all other GPUs wait for this start. The interval ends when that stream has seen
// that all GPUs are done. Launches that only queue work queue it while the streams are blocked.
std::vector<Timing> time_on_gpus(const std::vector<Gpu>& gpus,
                                 const std::vector<std::function<void()>>& launches,
                                 int repeats = 21);
