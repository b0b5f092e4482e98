#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_simulator {

// The value of an environment variable, if it is set.
std::optional<std::string> environment(const char* name);

// The value of `text` if it consists only of digits; none for any other text, or if the value is
// too large.
std::optional<std::uint64_t> whole_number(const std::string& text);

// Ends the program with a message, because the value is invalid.
[[noreturn]] void refuse_environment(const char* name, const std::string& value,
                                     const char* what_it_must_be);

// Returns whether the variable is 1; `usual` if it is not set. Ends the program if it is neither 0
// nor 1.
bool environment_switch(const char* name, bool usual);

}  // namespace cuda_simulator
