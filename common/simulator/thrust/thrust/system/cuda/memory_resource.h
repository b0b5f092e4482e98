#pragma once

// CCCL's file of this name, with the simulator's functions: they have additional parameters.
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/pointer.h>
#include <thrust/system/detail/bad_alloc.h>

#include <new>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
namespace detail {

template <class Function>
void* allocated(Function allocate, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = allocate(&memory, bytes);
  if (error == cudaSuccess) return memory;
  cudaGetLastError();
  throw thrust::system::detail::bad_alloc(thrust::cuda_category().message(error).c_str());
}

struct device_memory {
  template <class T>
  using pointer = thrust::cuda_cub::pointer<T>;
  static cudaError_t allocate(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
  static void free(void* memory) { cudaFree(memory); }
};
struct managed_memory {
  template <class T>
  using pointer = thrust::cuda_cub::universal_pointer<T>;
  static cudaError_t allocate(void** memory, std::size_t bytes) {
    return cudaMallocManaged(memory, bytes);
  }
  static void free(void* memory) { cudaFree(memory); }
};
struct pinned_memory {
  template <class T>
  using pointer = thrust::cuda_cub::universal_pointer<T>;
  static cudaError_t allocate(void** memory, std::size_t bytes) {
    return cudaMallocHost(memory, bytes);
  }
  static void free(void* memory) { cudaFreeHost(memory); }
};

template <class Memory, class Pointer = typename Memory::template pointer<void>>
class resource_of final : public mr::memory_resource<Pointer> {
 public:
  Pointer do_allocate(std::size_t bytes, std::size_t) override {
    return Pointer(allocated(&Memory::allocate, bytes));
  }
  void do_deallocate(Pointer memory, std::size_t, std::size_t) override {
    Memory::free(memory.get());
  }
};

}  // namespace detail

using memory_resource = detail::resource_of<detail::device_memory>;
using universal_memory_resource = detail::resource_of<detail::managed_memory>;
using universal_host_pinned_memory_resource = detail::resource_of<detail::pinned_memory>;

}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::memory_resource;
using thrust::system::cuda::universal_host_pinned_memory_resource;
using thrust::system::cuda::universal_memory_resource;
}  // namespace cuda
THRUST_NAMESPACE_END
