#pragma once

#include "program/executable.h"

#include "simulator/device_properties.h"
#include "simulator/error_codes.h"
#include "simulator/launch.h"

#include <cstddef>
#include <string>

namespace cuda_simulator {

// Compute capability 9.0, with the values of an H200 where a launch configuration may depend on
// them. So the same program launches the same grid here and on an H200.
const cudaDeviceProp& device_properties();

// Compares a launch with the device's limits: returns cudaSuccess or CUDA's error, and then prints
// the reason on stderr. `function` is the kernel; nullptr if it is not known.
cudaError_t check_configuration(const LaunchConfiguration& configuration,
                                const std::string& kernel_name, const Symbol* function,
                                std::size_t static_shared_bytes);

}  // namespace cuda_simulator
