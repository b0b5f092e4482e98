#include "simulator/say_once.h"

#include <cstdio>
#include <mutex>
#include <set>

namespace cuda_simulator {

void say_once(const std::string& sentence, const std::string& key) {
  static std::mutex mutex;
  static std::set<std::string>& said = *new std::set<std::string>;  // never destroyed
  const std::lock_guard<std::mutex> lock(mutex);
  if (!said.insert(key).second) return;
  std::fflush(stdout);
  std::fprintf(stderr, "CUDA simulator: %s\n", sentence.c_str());
}

}  // namespace cuda_simulator
