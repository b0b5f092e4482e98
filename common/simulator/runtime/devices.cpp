#include "runtime/devices.h"

#include "program/environment.h"
#include "simulator/faults.h"

#include <cstddef>

namespace cuda_simulator {
namespace {

int wanted_device_count() {
  constexpr const char* kName = "CUDA_SIMULATOR_DEVICES";
  const auto wanted = environment(kName);
  if (!wanted) return 1;
  const auto number = whole_number(*wanted);
  if (!number || *number < 1 || *number > kMostDevices) {
    refuse_environment(kName, *wanted, "an integer from 1 to 8");
  }
  return static_cast<int>(*number);
}

thread_local int chosen_device = 0;

}  // namespace

int device_count() {
  static const int count = wanted_device_count();
  return count;
}

int current_device() { return chosen_device; }
void set_current_device(int device) { chosen_device = device; }

PeerAccess& PeerAccess::get() {
  static PeerAccess& access =
      *new PeerAccess;  // never destroyed: a program's own objects may end after it
  return access;
}

PeerAccess::PeerAccess()
    : possible_(environment_switch("CUDA_SIMULATOR_PEER_ACCESS", /*usual=*/true)) {}

cudaError_t PeerAccess::enable(int peer) {
  const int device = current_device();
  if (!is_device(peer) || peer == device) return cudaErrorInvalidDevice;
  if (!possible_) return cudaErrorPeerAccessUnsupported;
  const std::lock_guard<std::mutex> lock(mutex_);
  bool& enabled = enabled_[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)];
  if (enabled) return cudaErrorPeerAccessAlreadyEnabled;
  enabled = true;
  return cudaSuccess;
}

cudaError_t PeerAccess::disable(int peer) {
  const int device = current_device();
  if (!is_device(peer)) return cudaErrorInvalidDevice;
  const std::lock_guard<std::mutex> lock(mutex_);
  bool& enabled = enabled_[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)];
  if (!enabled) return cudaErrorPeerAccessNotEnabled;
  enabled = false;
  return cudaSuccess;
}

void PeerAccess::disable_all(int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  enabled_[static_cast<std::size_t>(device)].fill(false);
}

void PeerAccess::set_possible(bool is_possible) {
  const std::lock_guard<std::mutex> lock(mutex_);
  possible_ = is_possible;
  enabled_ = {};
}

void set_peer_access(bool is_possible) { PeerAccess::get().set_possible(is_possible); }

}  // namespace cuda_simulator
