#pragma once

#include "simulator/launch.h"
#include "simulator/runtime_api.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

// Launches of kernels through a function, and the choice of a block size for a kernel.

namespace cuda_simulator {

template <typename... Parameters, std::size_t... I>
cudaError_t launch_unpacked(void (*kernel)(Parameters...), const LaunchConfiguration& configuration,
                            [[maybe_unused]] void** arguments, std::index_sequence<I...>) {
  const auto call = call_of(kernel);
  return Launch<decltype(call)>(configuration, {"", address_of(kernel)}, call)
      .run(*static_cast<std::remove_reference_t<Parameters>*>(arguments[I])...);
}

// A void* does not have the kernel's parameter types. So `(void*)kernel` in a .cu file becomes
// pointer_to(kernel), which stores how to launch the kernel.
using LaunchByAddress = cudaError_t (*)(const void* kernel, const LaunchConfiguration&,
                                        void** arguments);
void* store_kernel(const void* kernel, LaunchByAddress launch);

// Launches a stored kernel. Returns cudaErrorInvalidDeviceFunction, with a message, for a pointer
// that was not stored, and cudaErrorInvalidValue if the kernel's arguments are missing.
cudaError_t launch_by_address(const void* kernel, const LaunchConfiguration& configuration,
                              void** arguments);

template <typename... Parameters>
void* pointer_to(void (*kernel)(Parameters...)) {
  return store_kernel(address_of(kernel), [](const void* address,
                                             const LaunchConfiguration& configuration,
                                             void** arguments) {
    if (sizeof...(Parameters) > 0 && !arguments) return cudaErrorInvalidValue;
    return launch_unpacked(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address)),
                           configuration, arguments, std::index_sequence_for<Parameters...>());
  });
}
// What is not a kernel remains a cast.
template <typename T>
void* pointer_to(T value) {
  return (void*)value;
}

}  // namespace cuda_simulator

// `arguments` contains the address of each of the kernel's arguments.
template <typename... Parameters>
CUDA_SIMULATOR_CALLED cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid,
                                                   dim3 block, void** arguments,
                                                   std::size_t dynamic_shared_bytes = 0,
                                                   cudaStream_t stream = nullptr) {
  return cuda_simulator::launch_unpacked(kernel, {grid, block, dynamic_shared_bytes, stream},
                                         arguments, std::index_sequence_for<Parameters...>());
}

// The same, but the blocks can wait for each other: cooperative_groups::this_grid().sync(). If the
// blocks do not all fit on the device, returns cudaErrorCooperativeLaunchTooLarge.
template <typename... Parameters>
CUDA_SIMULATOR_CALLED cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...),
                                                              dim3 grid, dim3 block,
                                                              void** arguments,
                                                              std::size_t dynamic_shared_bytes = 0,
                                                              cudaStream_t stream = nullptr) {
  cuda_simulator::LaunchConfiguration configuration(grid, block, dynamic_shared_bytes, stream);
  configuration.is_cooperative = true;
  return cuda_simulator::launch_unpacked(kernel, configuration, arguments,
                                         std::index_sequence_for<Parameters...>());
}

// The same for a void*, to which the rewritten source has applied pointer_to().
CUDA_SIMULATOR_CALLED inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                                          void** arguments,
                                                          std::size_t dynamic_shared_bytes = 0,
                                                          cudaStream_t stream = nullptr) {
  return cuda_simulator::launch_by_address(kernel, {grid, block, dynamic_shared_bytes, stream},
                                           arguments);
}
CUDA_SIMULATOR_CALLED inline cudaError_t cudaLaunchCooperativeKernel(
    const void* kernel, dim3 grid, dim3 block, void** arguments,
    std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  cuda_simulator::LaunchConfiguration configuration(grid, block, dynamic_shared_bytes, stream);
  configuration.is_cooperative = true;
  return cuda_simulator::launch_by_address(kernel, configuration, arguments);
}

// The block size with the most resident threads, and the number of such blocks that fill the
// device. dynamic_shared_bytes(block_threads) is the shared memory that a block of that size needs.
// Limited by threads and shared memory; the number of registers that nvcc would use is not known
// here.
template <typename Kernel, typename SharedBytes>
CUDA_SIMULATOR_CALLED cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* grid_blocks, int* block_threads, Kernel kernel, SharedBytes dynamic_shared_bytes,
    int most_threads = 0) {
  cudaDeviceProp device;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDeviceProperties(&device, 0);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  const int limit = std::min(attributes.maxThreadsPerBlock, device.maxThreadsPerBlock);
  const int largest = most_threads > 0 ? std::min(limit, most_threads) : limit;
  int best_resident = 0;
  *grid_blocks = *block_threads = 0;
  // From large blocks to small ones, in whole warps except for the largest, as in CUDA.
  for (int aligned = (largest + device.warpSize - 1) / device.warpSize * device.warpSize;
       aligned > 0; aligned -= device.warpSize) {
    const int threads = std::min(largest, aligned);
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                          dynamic_shared_bytes(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads > best_resident) {
      best_resident = blocks * threads;
      *block_threads = threads;
      *grid_blocks = blocks * device.multiProcessorCount;
    }
    if (best_resident == device.maxThreadsPerMultiProcessor) break;
  }
  return cudaSuccess;
}

template <typename Kernel>
CUDA_SIMULATOR_CALLED cudaError_t
cudaOccupancyMaxPotentialBlockSize(int* grid_blocks, int* block_threads, Kernel kernel,
                                   std::size_t dynamic_shared_bytes = 0, int most_threads = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid_blocks, block_threads, kernel, [=](int) { return dynamic_shared_bytes; }, most_threads);
}
