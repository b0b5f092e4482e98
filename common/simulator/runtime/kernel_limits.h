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

// clock64() counts nanoseconds, so that a program can wait for a time. Nothing is timed with the
// memory's clock, which is that of an H100.
constexpr int kClockKhz = 1'000'000, kMemoryClockKhz = 2'619'000;

// Compares a launch with the device's limits: returns cudaSuccess or CUDA's error, and then prints
// the reason on stderr. `function` is the kernel; nullptr if it is not known.
cudaError_t check_configuration(const LaunchConfiguration& configuration,
                                const std::string& kernel_name, const Symbol* function,
                                std::size_t static_shared_bytes);

}  // namespace cuda_simulator
