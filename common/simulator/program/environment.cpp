#include "program/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace cuda_simulator {

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

void refuse_environment(const char* name, const std::string& value, const char* what_it_must_be) {
  std::fprintf(stderr, "CUDA simulator: %s is '%s'; it must be %s.\n", name, value.c_str(),
               what_it_must_be);
  std::exit(2);
}

bool environment_switch(const char* name, bool usual) {
  const auto value = environment(name);
  if (!value) return usual;
  if (*value != "0" && *value != "1") refuse_environment(name, *value, "0 or 1");
  return *value == "1";
}

}  // namespace cuda_simulator
