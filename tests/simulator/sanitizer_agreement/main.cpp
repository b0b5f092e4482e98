#include "measured_cases.h"

#include "common/cuda_check.h"
#include "common/harness/device_info.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

namespace {

// The kinds that the marks of one kernel state: "race,uninitialised".
std::string kinds_in(const MarkedFile& file, const MarkedCase& one, bool right) {
  std::string kinds;
  for (const Mark& mark : marks_of(file, one, right)) {
    if (("," + kinds + ",").find("," + mark.kind + ",") == std::string::npos)
      kinds += (kinds.empty() ? "" : ",") + mark.kind;
  }
  return kinds;
}

int list() {
  for (const MarkedFile& file : measured_files()) {
    for (const MarkedCase& one : file.cases) {
      std::printf("%s\t%s\t%s\t%s\t%s\n", file.topic.c_str(), one.name.c_str(), one.mistake.c_str(),
                  kinds_in(file, one, false).c_str(), kinds_in(file, one, true).c_str());
    }
  }
  return 0;
}

int describe_device() {
  const DeviceInfo device = require_device();
  std::printf("%s\t%s\t%s\n", device.name.c_str(), device.driver.c_str(), device.cuda.c_str());
  return 0;
}

// The exit code: 1 if CUDA reports an error, 2 if there is no such kernel.
int run(const std::string& name, const std::string& variant) {
  for (const MarkedFile& file : measured_files()) {
    for (const MarkedCase& one : file.cases) {
      if (one.name != name || (variant != "right" && variant != "wrong")) continue;
      one.launch({}, variant == "right");
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaDeviceSynchronize());
      return 0;
    }
  }
  std::fprintf(stderr, "There is no '%s %s'; --list prints the pairs.\n", name.c_str(),
               variant.c_str());
  return 2;
}

}  // namespace

// One kernel per process, because after a bad access no later kernel can use the device.
int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) return list();
    if (argc == 2 && std::strcmp(argv[1], "--device") == 0) return describe_device();
    if (argc == 3) return run(argv[1], argv[2]);
    std::fprintf(stderr, "Usage: %s --list | --device | PAIR right|wrong\n", argv[0]);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
