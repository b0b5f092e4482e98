#pragma once

#include "simulator/error_codes.h"

#include <array>
#include <mutex>

namespace cuda_simulator {

constexpr int kMostDevices = 8;

// The number of devices that the program sees: CUDA_SIMULATOR_DEVICES, or 1 if it is not set. An
// invalid value ends the program with a message.
int device_count();
inline bool is_device(int device) { return device >= 0 && device < device_count(); }

// The current device of the calling host thread: 0 until it chooses another device.
int current_device();
void set_current_device(int device);  // is_device(device) must be true

// Chooses a device while the object lives.
class DeviceChoice {
 public:
  explicit DeviceChoice(int device) : before_(current_device()) { set_current_device(device); }
  ~DeviceChoice() { set_current_device(before_); }
  DeviceChoice(const DeviceChoice&) = delete;
  DeviceChoice& operator=(const DeviceChoice&) = delete;

 private:
  const int before_;
};

// Records which devices' kernels can use the memory of which other devices. With
// CUDA_SIMULATOR_PEER_ACCESS=0 no device can, as on some computers.
class PeerAccess {
 public:
  static PeerAccess& get();

  bool is_possible(int device, int peer) const { return possible_ && device != peer; }
  bool is_enabled(int device, int peer) const {
    return enabled_[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)];
  }
  // For the calling thread's device; returns CUDA's error codes.
  cudaError_t enable(int peer);
  cudaError_t disable(int peer);
  void disable_all(int device);
  void set_possible(bool is_possible);

 private:
  PeerAccess();

  bool possible_;
  // [accessing device][device of the memory]
  std::array<std::array<bool, kMostDevices>, kMostDevices> enabled_{};
  std::mutex mutex_;
};

}  // namespace cuda_simulator
