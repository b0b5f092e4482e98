#include "runtime/launch_log.h"

#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostRefusals = 100;

}  // namespace

LaunchLog& LaunchLog::get() {
  static LaunchLog& log =
      *new LaunchLog;  // never destroyed: a program's own objects may end after it
  return log;
}

void LaunchLog::launched(dim3 grid, dim3 block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++launches_.count;
  launches_.grid = grid;
  launches_.block = block;
}

void LaunchLog::refused(const std::string& refusal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (launches_.refusals.size() < kMostRefusals) launches_.refusals.push_back(refusal);
}

Launches LaunchLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Launches launches = std::exchange(launches_, {});
  launches_.is_known = launches.is_known;
  return launches;
}

void LaunchLog::hide() {
  const std::lock_guard<std::mutex> lock(mutex_);
  launches_.is_known = false;
}

Launches take_launches() { return LaunchLog::get().take(); }
void hide_launches() { LaunchLog::get().hide(); }

}  // namespace cuda_simulator
