// Kernels whose address the program has converted to a void*, and the way to launch each of them.

#include "runtime/error_state.h"

#include "simulator/kernels_as_values.h"

#include <cstdio>
#include <map>
#include <mutex>

namespace cuda_simulator {
namespace {

struct StoredKernels {
  std::mutex mutex;
  std::map<const void*, LaunchByAddress> launch_of;
};

StoredKernels& stored_kernels() {
  static StoredKernels& kernels =
      *new StoredKernels;  // never destroyed: a program's own objects may end after it
  return kernels;
}

}  // namespace

void* store_kernel(const void* kernel, LaunchByAddress launch) {
  StoredKernels& stored = stored_kernels();
  const std::lock_guard<std::mutex> lock(stored.mutex);
  stored.launch_of[kernel] = launch;
  return const_cast<void*>(kernel);
}

cudaError_t launch_by_address(const void* kernel, const LaunchConfiguration& configuration,
                              void** arguments) {
  LaunchByAddress launch = nullptr;
  {
    StoredKernels& stored = stored_kernels();
    const std::lock_guard<std::mutex> lock(stored.mutex);
    const auto found = stored.launch_of.find(kernel);
    if (found != stored.launch_of.end()) launch = found->second;
  }
  if (launch) return report(launch(kernel, configuration, arguments));
  std::fprintf(stderr,
               "CUDA simulator: a void* is launched whose kernel is not known. Write (void*) and "
               "the kernel's name in the .cu file that defines the kernel.\n");
  return report(cudaErrorInvalidDeviceFunction);
}

}  // namespace cuda_simulator
