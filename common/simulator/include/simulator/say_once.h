#pragma once

#include <string>

namespace cuda_simulator {

// Prints a sentence on stderr; only the first one with this key.
void say_once(const std::string& sentence, const std::string& key);

}  // namespace cuda_simulator
