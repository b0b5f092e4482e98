#pragma once

#include "simulator/error_codes.h"

#include <array>
#include <mutex>

namespace cuda_simulator {

constexpr int kMostDevices = 8;

// How many devices the program sees: CUDA_SIMULATOR_DEVICES, 1 if that is not set. A value that is
// no such number ends the program with a message.
int device_count();
inline bool is_device(int device) { return device >= 0 && device < device_count(); }

// The device that the calling host thread works with: 0, until it chooses another.
int current_device();
void set_current_device(int device);  // one that is_device() accepts

// Chooses a device for as long as it lives.
class DeviceChoice {
 public:
  explicit DeviceChoice(int device) : before_(current_device()) { set_current_device(device); }
  ~DeviceChoice() { set_current_device(before_); }
  DeviceChoice(const DeviceChoice&) = delete;
  DeviceChoice& operator=(const DeviceChoice&) = delete;

 private:
  const int before_;
};

// Which devices' kernels may use which others' memory. CUDA_SIMULATOR_PEER_ACCESS=0 makes devices
// that never may, as some computers' GPUs.
class PeerAccess {
 public:
  static PeerAccess& get();

  bool is_possible(int device, int peer) const { return possible_ && device != peer; }
  bool is_enabled(int device, int peer) const {
    return enabled_[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)];
  }
  // Each for the calling thread's device, with the error that CUDA gives.
  cudaError_t enable(int peer);
  cudaError_t disable(int peer);
  void disable_all(int device);

 private:
  PeerAccess();

  bool possible_;
  std::array<std::array<bool, kMostDevices>, kMostDevices> enabled_{};  // [who][whose memory]
  std::mutex mutex_;
};

}  // namespace cuda_simulator
