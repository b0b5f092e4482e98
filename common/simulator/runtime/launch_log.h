#pragma once

#include "simulator/error_codes.h"
#include "simulator/launches.h"

#include <cstdint>
#include <mutex>
#include <string>

namespace cuda_simulator {

// The data that take_launches() returns.
class LaunchLog {
 public:
  static LaunchLog& get();

  void launched(dim3 grid, dim3 block);
  void launched_by_library();
  void refused(Launches::Refusal refusal, cudaError_t error);
  void limit(std::uint64_t count);
  // Returns whether no further launch may run. Reports this once, on stderr and in the result of
  // take_launches().
  bool is_over_limit(const std::string& kernel_name);
  Launches take();
  void hide();

 private:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  std::mutex mutex_;
  Launches launches_;
  std::uint64_t limit_ = kNoLimit;
  std::uint64_t launched_ = 0;  // since the limit was set
};

}  // namespace cuda_simulator
