#pragma once

#include "simulator/keywords.h"
#include "simulator/runtime_api.h"
#include "simulator/vector_types.h"

#include <cstddef>

namespace cuda_simulator {

// The part between <<< and >>>.
struct LaunchConfiguration {
  LaunchConfiguration(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                      cudaStream_t stream = nullptr)
      : grid(grid), block(block), dynamic_shared_bytes(dynamic_shared_bytes), stream(stream) {}

  dim3 grid, block;
  std::size_t dynamic_shared_bytes;
  cudaStream_t stream;
  bool is_cooperative = false;  // all blocks at once, so that they can wait for each other
};

// A kernel as the launch names it: the source text before the <<< and, if that text names a
// pointer, the function that it points to.
struct LaunchedKernel {
  const char* text;
  const void* function = nullptr;
  bool of_library = false;  // see library_kernels.h
};

template <typename... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}

// The function that each thread runs if the kernel is named by a pointer. The pointer is read at
// the launch, because threads cannot read host variables.
template <typename... Parameters>
auto call_of(void (*kernel)(Parameters...)) {
  return [kernel](auto... arguments) CUDA_SIMULATOR_UNTRACED {
    auto called = kernel;
    asm("" : "+r"(called));  // a kernel that is inlined here would not be traced
    called(arguments...);
  };
}

// Runs thread_body(arguments) once for every thread of the grid, and returns when all threads have
// ended. Errors are CUDA's: an impossible configuration runs nothing and sets the result of
// cudaGetLastError(). In a captured stream the grid runs later, with a copy of the arguments.
cudaError_t run_grid(const LaunchConfiguration& configuration, LaunchedKernel kernel,
                     void (*thread_body)(void*), void* arguments, std::size_t arguments_bytes);

// A kernel that waits for its arguments; they are copied once, as for a GPU.
template <typename Kernel>
class Launch {
 public:
  Launch(const LaunchConfiguration& configuration, LaunchedKernel launched, Kernel kernel)
      : configuration_(configuration), launched_(launched), kernel_(kernel) {}

  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    run(arguments...);
  }

  template <typename... Arguments>
  cudaError_t run(Arguments... arguments) const {
    auto thread = [kernel = kernel_, arguments...]()
                      CUDA_SIMULATOR_UNTRACED { kernel(arguments...); };
    const auto thread_body = [](void* data) CUDA_SIMULATOR_UNTRACED {
      (*static_cast<decltype(thread)*>(data))();
    };
    return run_grid(configuration_, launched_, thread_body, &thread, sizeof thread);
  }

 private:
  LaunchConfiguration configuration_;
  LaunchedKernel launched_;
  Kernel kernel_;
};

template <typename Kernel>
Launch<Kernel> launch(const LaunchConfiguration& configuration, LaunchedKernel launched,
                      Kernel kernel) {
  return {configuration, launched, kernel};
}

// The same for arguments in braces, which take their types from the kernel's parameters.
template <typename... Parameters>
auto launch_with_types(const LaunchConfiguration& configuration, LaunchedKernel launched,
                       void (*kernel)(Parameters...)) {
  return [=](Parameters... arguments) {
    launch(configuration, launched, call_of(kernel))(arguments...);
  };
}

// The address of the block's dynamic shared memory. `extern __shared__ T name[]` becomes a pointer
// that is initialised with a DynamicSharedMemory, which converts to a pointer of any type.
void* dynamic_shared_memory();
struct DynamicSharedMemory {
  template <typename Pointer>
  operator Pointer() const {
    return static_cast<Pointer>(dynamic_shared_memory());
  }
};

}  // namespace cuda_simulator
