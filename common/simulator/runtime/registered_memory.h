#pragma once

#include <cstddef>

namespace cuda_simulator {

// The device's pointer to host memory that cudaHostRegister() has registered; nullptr for others.
void* device_pointer_of_registered(const void* host_pointer);

}  // namespace cuda_simulator
