#include "nccl/communicator.h"

#include "runtime/device_memory.h"

#include <unistd.h>

#include <cstdint>
#include <utility>

namespace cuda_simulator::nccl {

Communicators& Communicators::get() {
  static Communicators& communicators =
      *new Communicators;  // never destroyed: the program may end with live communicators
  return communicators;
}

ncclComm_t Communicators::add(std::unique_ptr<ncclComm> comm) {
  const std::lock_guard<std::mutex> lock(mutex_);
  live_.insert(comm.get());
  return comm.release();
}

// A communicator that was created before the process forked belongs to the parent.
bool Communicators::is_live(const ncclComm* comm) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return live_.count(comm) != 0 && comm->process == getpid();
}

std::unique_ptr<ncclComm> Communicators::remove(ncclComm_t comm) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.erase(comm) == 0) return nullptr;
  return std::unique_ptr<ncclComm>(comm);
}

std::string buffer_fault(const void* buffer, std::size_t bytes, int device, const char* what) {
  if (bytes == 0) return "";
  const std::string its = std::string("its ") + what + " buffer ";
  if (!buffer) return its + "is a null pointer.";
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) {
    return its + "is in host memory. NCCL needs memory of the rank's device, from cudaMalloc.";
  }
  const Allocation& allocation = memory.on_page_of(address);
  if (allocation.bytes == 0) return its + "is not in allocated memory.";
  if (allocation.freed) return its + "is memory that was already released with cudaFree.";
  if (allocation.kind == MemoryKind::device && allocation.device != device) {
    return its + "is memory of device " + std::to_string(allocation.device) +
           ", but the rank's device is " + std::to_string(device) + ".";
  }
  if (allocation.holds(address, bytes)) return "";
  const std::size_t left = address < allocation.end() ? allocation.end() - address : 0;
  return its + "has " + std::to_string(left) +
         " bytes up to the end of its allocation, but the call needs " + std::to_string(bytes) +
         ".";
}

}  // namespace cuda_simulator::nccl
