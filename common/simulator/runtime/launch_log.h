#pragma once

#include "simulator/launches.h"

#include <mutex>
#include <string>

namespace cuda_simulator {

// Keeps what take_launches() gives.
class LaunchLog {
 public:
  static LaunchLog& get();

  void launched(dim3 grid, dim3 block);
  void refused(const std::string& refusal);
  Launches take();
  void hide();

 private:
  std::mutex mutex_;
  Launches launches_;
};

}  // namespace cuda_simulator
