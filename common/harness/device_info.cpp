#include "common/harness/device_info.h"

#include "common/cuda_check.h"

#include <fstream>
#include <stdexcept>

static std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceInfo require_device() {
  int count = 0, runtime = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  const std::string without_gpu =
      "Without a GPU, run it in the simulator: make clean, then make WORKBOOK_BACKEND=simulator.";
  if (status == cudaErrorInsufficientDriver && driver > 0) {
    throw std::runtime_error(
        "The NVIDIA driver supports CUDA " + cuda_version_text(driver) +
        ", but this program was built with CUDA " + cuda_version_text(runtime) +
        ". Update the driver, or build with an older CUDA Toolkit.\n" + without_gpu);
  }
  if (status != cudaSuccess || count == 0) {
    throw std::runtime_error("There is no NVIDIA GPU that CUDA can use here (" +
                             std::string(cudaGetErrorString(status)) + ").\n" + without_gpu);
  }

  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  DeviceInfo info;
  info.name = properties.name;
  info.simulated = info.name.rfind("CUDA simulator", 0) == 0;
  info.cuda = cuda_version_text(runtime);
  std::ifstream version_file("/sys/module/nvidia/version");
  if (info.simulated || !(version_file >> info.driver))
    info.driver = "CUDA " + cuda_version_text(driver);
  std::size_t total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&info.free_bytes, &total_bytes));
  return info;
}
