#include "harness/gpu_group.h"

#include "peer_access.h"

#include "common/harness/format.h"
#include "common/harness/profiler_range.h"

#include <cstdlib>
#include <memory>

namespace {

// Queues the start event of all GPUs in the first GPU's stream, which is held.
void queue_start(const std::vector<Gpu>& gpus, const CudaEvent& start) {
  const GpuEvent held(gpus[0]);
  CUDA_CHECK(cudaEventRecord(held.get(), gpus[0].stream));
  CUDA_CHECK(cudaEventRecord(start.get(), gpus[0].stream));
  for (std::size_t g = 1; g < gpus.size(); ++g) {
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, held.get()));
  }
}

float timed_ms(const std::vector<Gpu>& gpus, const CudaEvent& start, const CudaEvent& stop,
               const std::function<void()>& launch) {
  wait_for_each_other(gpus);  // all caches are flushed
  StreamHold hold(gpus[0].stream);
  queue_start(gpus, start);
  launch();
  wait_for_each_other(gpus);
  CUDA_CHECK(cudaSetDevice(gpus[0].device));
  CUDA_CHECK(cudaEventRecord(stop.get(), gpus[0].stream));
  hold.release();
  CUDA_CHECK(cudaEventSynchronize(stop.get()));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start.get(), stop.get()));
  return ms;
}

}  // namespace

GpuGroup::GpuGroup(int count) {
  for (int device = 0; device < count; ++device) {
    Gpu gpu{device, nullptr, nullptr};
    CUDA_CHECK(cudaSetDevice(device));
    CUDA_CHECK(cudaStreamCreate(&gpu.stream));
    gpus_.push_back(gpu);
    CUDA_CHECK(cudaStreamCreate(&gpus_.back().copies));
  }
  without_peer_access_ = enable_peer_access(gpus_);
}

GpuGroup::~GpuGroup() {
  for (const Gpu& gpu : gpus_) {  // unchecked: a destructor must not throw
    cudaStreamDestroy(gpu.stream);
    cudaStreamDestroy(gpu.copies);
  }
}

std::string GpuGroup::text() const {
  if (size() == 1) return "1 GPU";
  return format("%zu GPUs, %s", size(),
                without_peer_access_.empty()
                    ? "with peer access"
                    : ("copies go through host memory, because " + without_peer_access_).c_str());
}

void GpuGroup::wait() const {
  for (const Gpu& gpu : gpus_) {
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
}

bool simulate_four_gpus() { return setenv("CUDA_SIMULATOR_DEVICES", "4", /*overwrite=*/0) == 0; }

std::optional<int> parse_gpus(Options& options) {
  return options.integer<int>("--gpus", 1, kMostGpus);
}

int choose_gpus(const std::optional<int>& asked) {
  int there = 0;
  CUDA_CHECK(cudaGetDeviceCount(&there));
  if (!asked) return std::min(there, kMostGpus);
  if (*asked <= there) return *asked;
  throw UsageError(
      format("--gpus %d: there %s %d. (CUDA_SIMULATOR_DEVICES sets the "
             "number in the simulator.)",
             *asked, there == 1 ? "is" : "are", there));
}

std::vector<Timing> time_on_gpus(const std::vector<Gpu>& gpus,
                                 const std::vector<std::function<void()>>& launches, int repeats) {
  std::vector<std::unique_ptr<L2Flush>> flushes;
  for (const Gpu& gpu : gpus) {
    flushes.push_back(made_on(gpu, [] { return std::make_unique<L2Flush>(); }));
  }
  CUDA_CHECK(cudaSetDevice(gpus[0].device));
  const CudaEvent start, stop;
  std::vector<std::vector<double>> ms(launches.size());
  for (int round = -1; round < repeats; ++round) {  // round -1 warms up
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (std::size_t g = 0; g < gpus.size(); ++g) {
        CUDA_CHECK(cudaSetDevice(gpus[g].device));
        (*flushes[g])();
      }
      const ProfilerRange range(round < 0 ? "warm-up" : "timed run");
      const float elapsed_ms = timed_ms(gpus, start, stop, launches[i]);
      if (round >= 0) ms[i].push_back(elapsed_ms);
    }
  }
  std::vector<Timing> timings;
  for (std::vector<double>& one : ms) timings.push_back(summarise(std::move(one)));
  return timings;
}
