#include "runtime/kernel_limits.h"

#include "execution/block.h"
#include "program/executable.h"
#include "program/launched_kernel.h"
#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/launch_log.h"

#include "simulator/runtime_api.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kDefaultSharedBytes = 48 << 10;
constexpr std::size_t kReservedSharedBytes = 1 << 10;
constexpr std::size_t kMultiprocessorSharedBytes = 228 << 10;

// The limits that cudaFuncSetAttribute has set, per kernel.
class DynamicSharedLimits {
 public:
  static DynamicSharedLimits& get() {
    static DynamicSharedLimits& limits =
        *new DynamicSharedLimits;  // never destroyed: a program's own objects may end after it
    return limits;
  }
  void set(const Symbol& kernel, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_[&kernel] = bytes;
  }
  // The maximum of all kernels with this name if the function is not known.
  std::size_t of(const std::string& name, const Symbol* function) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t most = 0;
    for (const auto& [kernel, bytes] : bytes_) {
      if (function ? kernel == function : base_name(kernel->name()) == base_name(name))
        most = std::max(most, bytes);
    }
    return most;
  }

 private:
  std::map<const Symbol*, std::size_t> bytes_;
  std::mutex mutex_;
};

const Symbol* function_of(const void* kernel) {
  return Executable::get().function_at(reinterpret_cast<std::uintptr_t>(kernel));
}

std::string text(dim3 extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
         std::to_string(extent.z);
}

// The reason why no device can launch this; an empty text if it can.
Launches::Refusal impossible_extent(dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return {"a grid of " + text(grid) + " blocks is empty.", "no_blocks"};
  if (block.x == 0 || block.y == 0 || block.z == 0) {
    return {"a block of " + text(block) + " threads is empty.", "no_threads"};
  }
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (block.x > 1024 || block.y > 1024 || threads > kMaxBlockThreads) {
    return {"a block of " + text(block) + " threads is too large; the maximum is 1024.",
            "large_block"};
  }
  if (block.z > 64) {
    return {"a block of " + text(block) + " threads is too large; z must be at most 64.",
            "large_block"};
  }
  if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) {
    return {"a grid of " + text(grid) +
                " blocks is too large; x must be at most 2147483647, y and z at most 65535.",
            "large_grid"};
  }
  return {};
}

// The number of blocks of a kernel that fit on a multiprocessor, by threads and shared memory. The
// number of registers that nvcc would use is not known here.
int resident_blocks(std::size_t static_bytes, int block_threads, std::size_t dynamic_bytes) {
  const int warps = (block_threads + kWarpSize - 1) / kWarpSize;
  const std::size_t shared_bytes = static_bytes + dynamic_bytes + kReservedSharedBytes;
  return std::min({32, 64 / warps, static_cast<int>(kMultiprocessorSharedBytes / shared_bytes)});
}

// The reason why a cooperative launch has too many blocks, which must all be on the device; empty
// if it does not.
std::string too_many_blocks(const LaunchConfiguration& configuration, std::size_t static_bytes) {
  const auto [x, y, z] = configuration.block;
  const int threads = static_cast<int>(x * y * z), count = device_properties().multiProcessorCount;
  const int resident = resident_blocks(static_bytes, threads, configuration.dynamic_shared_bytes);
  const dim3 grid = configuration.grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const auto most = static_cast<std::uint64_t>(resident) * static_cast<unsigned>(count);
  if (blocks <= most) return "";
  return "a cooperative launch of " + std::to_string(blocks) +
         " blocks is too large. All blocks must be on the device at the same time, and only " +
         std::to_string(most) + " fit: " + std::to_string(resident) + " on each of " +
         std::to_string(count) + " multiprocessors.";
}

// The reason why a launch needs too much shared memory; empty if it does not.
std::string impossible_shared_memory(const std::string& kernel_name, const Symbol* function,
                                     std::size_t static_bytes, std::size_t dynamic_bytes) {
  const auto too_much_for_nvcc = [](std::size_t bytes, const std::string& where) {
    return std::to_string(bytes) + " bytes of static __shared__ memory" + where +
           ", but nvcc allows " + std::to_string(kDefaultSharedBytes) +
           ". Use extern __shared__ memory for more.";
  };
  if (static_bytes > kDefaultSharedBytes) return "it has " + too_much_for_nvcc(static_bytes, "");
  // nvcc refuses the program, even if this kernel does not use the array.
  static const Symbol* const largest = Executable::get().largest_shared();
  if (largest && largest->bytes > kDefaultSharedBytes) {
    return "the program has " + too_much_for_nvcc(largest->bytes, " in " + largest->name());
  }
  const std::size_t most = kMaxDynamicSharedBytes - static_bytes;
  const std::size_t allowed = std::max(kDefaultSharedBytes - static_bytes,
                                       DynamicSharedLimits::get().of(kernel_name, function));
  if (dynamic_bytes <= allowed) return "";
  const std::string requested =
      "it requests " + std::to_string(dynamic_bytes) + " bytes of dynamic shared memory, but ";
  if (dynamic_bytes > most) {
    return requested + "the device has only " + std::to_string(most) + " for this kernel.";
  }
  return requested + "the limit is " + std::to_string(allowed) +
         ". Raise it with cudaFuncSetAttribute and cudaFuncAttributeMaxDynamicSharedMemorySize, up "
         "to " +
         std::to_string(most) + ".";
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void set_older_properties(cudaDeviceProp& properties) {
  properties.clockRate = kClockKhz;
  properties.memoryClockRate = kMemoryClockKhz;
  properties.deviceOverlap = 1;
}
#pragma GCC diagnostic pop

cudaDeviceProp make_properties() {
  cudaDeviceProp properties = {};
  std::snprintf(properties.name, sizeof properties.name, "CUDA simulator on the CPU");
  properties.totalGlobalMem = DeviceMemory::get().total_bytes();
  properties.sharedMemPerBlock = kDefaultSharedBytes;
  properties.regsPerBlock = 65536;
  properties.warpSize = kWarpSize;
  properties.maxThreadsPerBlock = kMaxBlockThreads;
  std::copy_n(std::begin({1024, 1024, 64}), 3, properties.maxThreadsDim);
  std::copy_n(std::begin({2147483647, 65535, 65535}), 3, properties.maxGridSize);
  properties.totalConstMem = 64 << 10;
  properties.memoryBusWidth = 5120;
  properties.major = 9;
  properties.minor = 0;
  properties.multiProcessorCount = 132;
  properties.l2CacheSize = 60 << 20;
  properties.persistingL2CacheMaxSize = properties.l2CacheSize / 8 * 5;
  properties.accessPolicyMaxWindowSize = 128 << 20;
  properties.memoryPoolsSupported = 1;
  properties.hostRegisterSupported = 1;
  properties.maxThreadsPerMultiProcessor = 2048;
  properties.sharedMemPerMultiprocessor = kMultiprocessorSharedBytes;
  properties.regsPerMultiprocessor = 65536;
  properties.sharedMemPerBlockOptin = kMaxDynamicSharedBytes;
  properties.maxBlocksPerMultiProcessor = 32;
  properties.reservedSharedMemPerBlock = kReservedSharedBytes;
  properties.unifiedAddressing = 1;
  properties.managedMemory = 1;
  properties.concurrentKernels = 1;
  properties.asyncEngineCount = 1;
  properties.canMapHostMemory = 1;
  properties.cooperativeLaunch = 1;
  properties.concurrentManagedAccess = 1;
  properties.streamPrioritiesSupported = 1;
  properties.computePreemptionSupported = 1;
  properties.memPitch = 2147483647;
  properties.textureAlignment = 512;
  properties.surfaceAlignment = 512;
  properties.maxTexture1D = 131072;
  std::copy_n(std::begin({131072, 65536}), 2, properties.maxTexture2D);
  std::copy_n(std::begin({16384, 16384, 16384}), 3, properties.maxTexture3D);
  std::copy_n(std::begin({32768, 2048}), 2, properties.maxTexture1DLayered);
  std::copy_n(std::begin({32768, 32768, 2048}), 3, properties.maxTexture2DLayered);
  set_older_properties(properties);
  return properties;
}

}  // namespace

const cudaDeviceProp& device_properties() {
  static const cudaDeviceProp properties = make_properties();
  return properties;
}

cudaError_t check_configuration(const LaunchConfiguration& configuration,
                                const std::string& kernel_name, const Symbol* function,
                                std::size_t static_shared_bytes) {
  Launches::Refusal refusal = impossible_extent(configuration.grid, configuration.block);
  if (refusal.text.empty()) {
    refusal = {impossible_shared_memory(kernel_name, function, static_shared_bytes,
                                        configuration.dynamic_shared_bytes),
               "shared_memory"};
  }
  cudaError_t error = cudaErrorInvalidValue;  // in CUDA 13; before: cudaErrorInvalidConfiguration
  if (refusal.text.empty() && configuration.is_cooperative) {
    refusal = {too_many_blocks(configuration, static_shared_bytes), "large_grid"};
    error = cudaErrorCooperativeLaunchTooLarge;
  }
  if (refusal.text.empty()) return cudaSuccess;
  // The error's text is only "invalid argument", and most programs never print it.
  refusal.text = kernel_name + " cannot be launched: " + refusal.text;
  std::fprintf(stderr, "CUDA simulator: %s\n", refusal.text.c_str());
  LaunchLog::get().refused(std::move(refusal), error);
  return error;
}

cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const Symbol* const function = function_of(kernel);
  if (!function) return report(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const std::size_t limit = kMaxDynamicSharedBytes - static_shared_bytes(*function);
    if (value < 0 || static_cast<std::size_t>(value) > limit) {
      return report(cudaErrorInvalidValue);
    }
    DynamicSharedLimits::get().set(*function, static_cast<std::size_t>(value));
  }
  return report(cudaSuccess);
}

cudaError_t get_kernel_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  const Symbol* const function = function_of(kernel);
  if (!function) return report(cudaErrorInvalidDeviceFunction);
  const std::size_t static_bytes = static_shared_bytes(*function);
  attributes->sharedSizeBytes = static_bytes;
  attributes->maxThreadsPerBlock = kMaxBlockThreads;
  attributes->numRegs = 0;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(
      std::max(kDefaultSharedBytes - static_bytes, DynamicSharedLimits::get().of("", function)));
  return report(cudaSuccess);
}

cudaError_t blocks_per_multiprocessor(int* blocks, const void* kernel, int block_threads,
                                      std::size_t dynamic_shared_bytes) {
  if (block_threads <= 0 || block_threads > kMaxBlockThreads) {
    return report(cudaErrorInvalidValue);
  }
  const Symbol* const function = function_of(kernel);
  const std::size_t static_bytes = function ? static_shared_bytes(*function) : 0;
  *blocks = resident_blocks(static_bytes, block_threads, dynamic_shared_bytes);
  return report(cudaSuccess);
}

}  // namespace cuda_simulator
