#pragma once

#include "program/executable.h"

#include "simulator/device_properties.h"
#include "simulator/error_codes.h"
#include "simulator/launch.h"

#include <cstddef>
#include <string>

namespace cuda_simulator {

// Compute capability 9.0, with the numbers of an H200 where a launch configuration may depend on
// them, so that the same program launches the same grid here and there.
const cudaDeviceProp& device_properties();

// What a launch asks for against what the device has: cudaSuccess or CUDA's error, which is also
// put into words on stderr. `function` is the kernel's; nullptr if it is not known.
cudaError_t check_configuration(const LaunchConfiguration& configuration,
                                const std::string& kernel_name, const Symbol* function,
                                std::size_t static_shared_bytes);

}  // namespace cuda_simulator
