#include "trace/counts/link_counts.h"

#include "execution/lanes.h"
#include "trace/counts/request_cost.h"

namespace cuda_simulator {
namespace {

// The device whose memory contains an address; -1 for host memory.
int device_of(std::uintptr_t address) {
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) return -1;
  const Allocation& allocation = memory.on_page_of(address);
  return allocation.kind == MemoryKind::device ? allocation.device : -1;
}

}  // namespace

void LinkCounts::count_peers(const WarpRequest& request, int device) {
  std::array<std::uint32_t, kMostDevices> lanes_at{};
  for_each_lane(request.lanes, [&](int lane) {
    const int owner = device_of(request.addresses[lane]);
    if (owner >= 0 && owner != device) lanes_at[static_cast<std::size_t>(owner)] |= 1u << lane;
  });
  const bool is_load = without_volatile(request.step.kind()) == AccessKind::load ||
                       request.step.kind() == AccessKind::async_copy;
  for (int owner = 0; owner < device_count(); ++owner) {
    const std::uint32_t lanes = lanes_at[static_cast<std::size_t>(owner)];
    if (lanes == 0) continue;
    const WarpRequest part(request.step, request.array, request.warp, lanes, 0, request.addresses,
                           request.approximate);
    const auto sectors = static_cast<std::uint64_t>(RequestCost(part).sectors());
    LinkBytes& bytes = is_load ? link(owner, device) : link(device, owner);
    bytes.by_kernels += sectors * kSectorBytes;
  }
}

void LinkCounts::count_copy(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  const int source = device_of(from), target = device_of(to);
  if (source >= 0 && target >= 0 && source != target) link(source, target).by_copies += bytes;
}

}  // namespace cuda_simulator
