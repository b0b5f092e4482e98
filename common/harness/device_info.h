#pragma once

#include <cstddef>
#include <string>

// The device that programs run on, as results name it.
struct DeviceInfo {
  std::string name;
  std::string driver;  // "580.159.04"; if it is not known, the newest CUDA version it supports
  std::string cuda;    // the runtime's version, "13.0"
  std::size_t free_bytes;
  bool simulated;  // no GPU: results are real, times have no meaning
};

// Throws std::runtime_error, with advice, if there is no device to run on.
DeviceInfo require_device();
