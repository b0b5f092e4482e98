#include "cases.h"

#include "common/harness/device_info.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace {

struct Topic {
  const char* name;
  std::vector<Pair> pairs;
};

std::vector<Topic> all_topics() {
  return {{"global memory", global_memory_pairs()},
          {"arrays", array_pairs()},
          {"races in shared memory", shared_race_pairs()},
          {"races in global memory", global_race_pairs()},
          {"initialisation", initialisation_pairs()},
          {"barriers", barrier_pairs()}};
}

int list() {
  for (const Topic& topic : all_topics()) {
    for (const Pair& pair : topic.pairs)
      std::printf("%s\t%s\t%s\n", topic.name, pair.name, pair.mistake);
  }
  return 0;
}

int describe_device() {
  const DeviceInfo device = require_device();
  std::printf("%s\t%s\t%s\n", device.name.c_str(), device.driver.c_str(), device.cuda.c_str());
  return 0;
}

// The exit code: 1 if CUDA reports an error, 2 if there is no such kernel.
int run(const char* name, const char* variant) {
  const bool right = std::strcmp(variant, "right") == 0;
  for (const Topic& topic : all_topics()) {
    for (const Pair& pair : topic.pairs) {
      if (std::strcmp(pair.name, name) != 0) continue;
      if (!right && std::strcmp(variant, "wrong") != 0) break;
      (right ? pair.right : pair.wrong)();
      return 0;
    }
  }
  std::fprintf(stderr, "There is no '%s %s'; --list prints the pairs.\n", name, variant);
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
