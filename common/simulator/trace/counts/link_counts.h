#pragma once

#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "trace/warp/access.h"

#include <array>
#include <cstdint>

namespace cuda_simulator {

// The bytes that went from one device to another, by the kind of work that transferred them.
struct LinkBytes {
  std::uint64_t by_kernels = 0, by_copies = 0, by_nccl = 0;

  std::uint64_t all() const { return by_kernels + by_copies + by_nccl; }
};

// The bytes over the link between each pair of devices, in the direction of the data. A kernel's
// loads transfer data from the peer, its stores and atomic functions to the peer; whole sectors of
// 32 bytes are transferred.
class LinkCounts {
 public:
  // Counts a request of a kernel that runs on `device`. With one device there are no links.
  void count(const WarpRequest& request, int device) {
    if (device_count() > 1 && request.array.region == Region::device) count_peers(request, device);
  }
  void count_copy(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);
  void count_nccl(int from, int to, std::uint64_t bytes) { link(from, to).by_nccl += bytes; }

  const LinkBytes& bytes(int from, int to) const {
    return links_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

 private:
  LinkBytes& link(int from, int to) {
    return links_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  void count_peers(const WarpRequest& request, int device);

  std::array<std::array<LinkBytes, kMostDevices>, kMostDevices> links_{};  // [from][to]
};

}  // namespace cuda_simulator
