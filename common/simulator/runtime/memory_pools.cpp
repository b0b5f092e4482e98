#include "runtime/memory_pools.h"

#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "trace/tracer.h"

#include <cstdint>

namespace cuda_simulator {

MemoryPools& MemoryPools::get() {
  static MemoryPools& pools = *new MemoryPools;  // never destroyed: the program may end with pools
  return pools;
}

MemoryPools::MemoryPools() {
  for (int device = 0; device < kMostDevices; ++device) {
    const auto standard = std::make_shared<CudaSimulatorMemPool>(device);
    at(device) = {standard, standard, std::make_shared<CudaSimulatorMemPool>(device)};
    at(device).graphs->threshold = ~0ull;  // until cudaDeviceGraphMemTrim()
    pools_[standard.get()] = standard;
  }
}

bool MemoryPools::set_current(int device, cudaMemPool_t pool) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (pool->device != device) return false;
  at(device).current = pools_.at(pool);
  return true;
}

cudaMemPool_t MemoryPools::create(int device, std::size_t most_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto pool = std::make_shared<CudaSimulatorMemPool>(device, most_bytes);
  pools_[pool.get()] = pool;
  return pool.get();
}

bool MemoryPools::destroy(cudaMemPool_t pool) {
  const std::lock_guard<std::mutex> lock(mutex_);
  OfDevice& device = at(pool->device);
  if (device.standard.get() == pool) return false;
  if (device.current.get() == pool) device.current = device.standard;
  pools_.erase(pool);
  return true;
}

void MemoryPools::allocated(CudaSimulatorMemPool& pool, const void* pointer, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pool.add(bytes);
  const auto known = pools_.find(&pool);
  pool_of_[pointer] = {known == pools_.end() ? at(pool.device).graphs : known->second, bytes};
}

void MemoryPools::freed(const void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pool_of_.find(pointer);
  if (found == pool_of_.end()) return;
  const auto [pool, bytes] = found->second;
  pool->remove(bytes);
  pool_of_.erase(found);
}

bool MemoryPools::is_open_to(const void* pointer, int device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pool_of_.find(pointer);
  return found != pool_of_.end() &&
         found->second.first->is_open_to[static_cast<std::size_t>(device)];
}

void* reserve_graph_memory(std::size_t bytes) {
  return DeviceMemory::get().reserve_for_graph(bytes);
}

cudaError_t allocate_graph_memory(void* pointer) {
  DeviceMemory& memory = DeviceMemory::get();
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (!memory.allocate_reserved(pointer)) return report(cudaErrorMemoryAllocation);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const Allocation& allocation = memory.on_page_of(address);
  if (Tracer* const tracer = program_tracer())
    tracer->device_memory_allocated(address, allocation.bytes, "cudaGraphLaunch");
  MemoryPools& pools = MemoryPools::get();
  pools.allocated(pools.of_graphs(allocation.device), pointer, allocation.bytes);
  return report(cudaSuccess);
}

cudaError_t free_graph_memory(void* pointer) {
  const bool freed = DeviceMemory::get().free(pointer) == DeviceMemory::Freed::yes;
  return report(freed ? cudaSuccess : cudaErrorInvalidValue);
}

bool is_graph_memory_live(const void* pointer) {
  return !DeviceMemory::get().on_page_of(reinterpret_cast<std::uintptr_t>(pointer)).freed;
}

}  // namespace cuda_simulator
