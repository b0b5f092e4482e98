#pragma once

#include "runtime/devices.h"

#include "simulator/memory_pools.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>

// The target of a cudaMemPool_t. The pool only counts bytes; its memory is allocated like all other
// memory of the device.
struct CudaSimulatorMemPool {
  explicit CudaSimulatorMemPool(int device, std::size_t most_bytes = 0)
      : device(device), most_bytes(most_bytes) {}

  bool has_room(std::size_t bytes) const { return most_bytes == 0 || bytes <= most_bytes - used; }
  void add(std::size_t bytes) {
    used_high = std::max(used_high, used += bytes);
    reserved_high = std::max(reserved_high, reserved = std::max(reserved, used));
  }
  void remove(std::size_t bytes) {
    used -= bytes;
    keep(threshold);
  }
  // Releases the unused memory above a number of bytes.
  void keep(unsigned long long bytes) { reserved = std::max(used, std::min(reserved, bytes)); }

  const int device;
  const std::size_t most_bytes;  // 0: no limit
  unsigned long long threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  int reuse[3] = {1, 1, 1};
  std::array<bool, cuda_simulator::kMostDevices> is_open_to{};
};

namespace cuda_simulator {

class MemoryPools {
 public:
  static MemoryPools& get();

  CudaSimulatorMemPool& default_of(int device) { return *at(device).standard; }
  CudaSimulatorMemPool& current_of(int device) { return *at(device).current; }
  CudaSimulatorMemPool& of_graphs(int device) { return *at(device).graphs; }
  bool set_current(int device, cudaMemPool_t pool);  // false: a pool of another device

  cudaMemPool_t create(int device, std::size_t most_bytes);
  // A default pool cannot be destroyed. Allocated memory of a destroyed pool remains.
  bool destroy(cudaMemPool_t pool);
  bool is_live(cudaMemPool_t pool) const { return pools_.count(pool) != 0; }

  void allocated(CudaSimulatorMemPool& pool, const void* pointer, std::size_t bytes);
  void freed(const void* pointer);  // of any memory
  // Returns whether cudaMemPoolSetAccess() has given the device access to the memory.
  bool is_open_to(const void* pointer, int device) const;

 private:
  using Pool = std::shared_ptr<CudaSimulatorMemPool>;
  struct OfDevice {
    Pool standard, current, graphs;
  };
  OfDevice& at(int device) { return of_device_[static_cast<std::size_t>(device)]; }
  MemoryPools();

  std::array<OfDevice, kMostDevices> of_device_;
  std::map<cudaMemPool_t, Pool> pools_;
  std::map<const void*, std::pair<Pool, std::size_t>> pool_of_;
  mutable std::mutex mutex_;
};

// The memory of nodes that allocate it. reserve: returns the address; nullptr if the device has too
// little memory. The others report CUDA's errors.
void* reserve_graph_memory(std::size_t bytes);
cudaError_t allocate_graph_memory(void* pointer);
cudaError_t free_graph_memory(void* pointer);
bool is_graph_memory_live(const void* pointer);

}  // namespace cuda_simulator
