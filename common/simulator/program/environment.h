#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_simulator {

// The value of an environment variable, if it is set.
std::optional<std::string> environment(const char* name);

// The number that `text` is, written in digits alone; none if it is anything else, or too large.
std::optional<std::uint64_t> whole_number(const std::string& text);

// Ends the program, which cannot guess what was meant.
[[noreturn]] void refuse_environment(const char* name, const std::string& value,
                                     const char* what_it_must_be);

// Whether the variable is 1; `usual` if it is not set. Ends the program if it is neither 0 nor 1.
bool environment_switch(const char* name, bool usual);

}  // namespace cuda_simulator
