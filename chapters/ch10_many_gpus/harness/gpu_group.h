#pragma once

#include "gpu.h"

#include "common/harness/gpu_timer.h"
#include "common/harness/measurement.h"
#include "common/harness/options.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter run on.

// Owns streams of the first `count` GPUs, which have access to each other's memory where they can.
class GpuGroup {
 public:
  explicit GpuGroup(int count);
  ~GpuGroup();
  GpuGroup(const GpuGroup&) = delete;
  GpuGroup& operator=(const GpuGroup&) = delete;

  const std::vector<Gpu>& gpus() const { return gpus_; }
  std::size_t size() const { return gpus_.size(); }

  // "2 GPUs", and in which way bytes get from one to the other.
  std::string text() const;

  // Waits until all GPUs are done.
  void wait() const;

 private:
  std::vector<Gpu> gpus_;
  std::string without_peer_access_;  // which pair, in words; empty if all have it
};

// In the simulator there are as many devices as CUDA_SIMULATOR_DEVICES says; this makes that 4,
// unless it says something already. Call it before CUDA. Nothing else reads the variable.
bool simulate_four_gpus();

// The option --gpus, and what it comes to: at least 1, and as many as there are without the option.
// Throws UsageError if there are fewer than asked.
constexpr OptionHelp kGpusHelp{"--gpus G", "how many GPUs, the first ones; all of them otherwise"};
std::optional<int> parse_gpus(Options& options);
int choose_gpus(const std::optional<int>& asked);

// Makes something on a GPU: its memory, that is.
template <typename Make>
auto made_on(const Gpu& gpu, const Make& make) {
  CUDA_CHECK(cudaSetDevice(gpu.device));
  return make();
}

// Times each of `launches` `repeats` times, in turn, each once before that, unmeasured, with the L2
// caches flushed before every run. A time begins when the first GPU's stream gets there, for which
// all others have waited, and ends when that stream knows that all are done. What only queues its
// work is queued before that, while the streams are held up.
std::vector<Timing> time_on_gpus(const std::vector<Gpu>& gpus,
                                 const std::vector<std::function<void()>>& launches,
                                 int repeats = 21);
