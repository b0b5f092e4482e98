#include "runtime/launch_log.h"

#include "trace/tracer.h"

#include "simulator/faults.h"

#include <cstdio>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostRefusals = 100;

std::uint64_t block_count(dim3 grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

}  // namespace

LaunchLog& LaunchLog::get() {
  static LaunchLog& log =
      *new LaunchLog;  // never destroyed: a program's own objects may end after it
  return log;
}

void LaunchLog::launched(dim3 grid, dim3 block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++launches_.count;
  ++launched_;
  launches_.grid = grid;
  launches_.block = block;
}

void LaunchLog::launched_by_library() {
  const std::lock_guard<std::mutex> lock(mutex_);
  launches_.by_library = true;
}

void LaunchLog::refused(Launches::Refusal refusal, cudaError_t error) {
  if (Tracer* const tracer = program_tracer())
    tracer->launch_refused(refusal.text, refusal.why, error);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (launches_.refusals.size() < kMostRefusals) launches_.refusals.push_back(std::move(refusal));
}

Launches LaunchLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Launches launches = std::exchange(launches_, {});
  launches_.is_known = launches.is_known;
  launches_.ran_out = launches.ran_out;
  return launches;
}

void LaunchLog::limit(std::uint64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limit_ = count;
  launched_ = 0;
  launches_.ran_out = false;
}

bool LaunchLog::is_over_limit(const std::string& kernel_name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (launched_ < limit_) return false;
  const std::uint64_t blocks = block_count(launches_.grid);
  const std::string refusal =
      kernel_name + " cannot be launched: this test has launched " + std::to_string(limit_) +
      " kernels already, the last one with " + std::to_string(blocks) +
      (blocks == 1 ? " block" : " blocks") +
      ". Is there a launch for each element? Let each launch handle more elements.";
  if (!launches_.ran_out) std::fprintf(stderr, "CUDA simulator: %s\n", refusal.c_str());
  if (launches_.refusals.empty()) launches_.refusals.push_back({refusal, "many_launches"});
  launches_.ran_out = true;
  return true;
}

void LaunchLog::hide() {
  const std::lock_guard<std::mutex> lock(mutex_);
  launches_.is_known = false;
}

Launches take_launches() { return LaunchLog::get().take(); }
void limit_launches(std::uint64_t count) { LaunchLog::get().limit(count); }
void hide_launches() { LaunchLog::get().hide(); }

}  // namespace cuda_simulator
