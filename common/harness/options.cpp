#include "common/harness/options.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

Options::Options(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const bool splits = argument.rfind("--", 0) == 0 && equals != std::string::npos;
    arguments_.push_back(splits ? argument.substr(0, equals) : argument);
    if (splits) arguments_.push_back(argument.substr(equals + 1));
  }
}

bool Options::has(const std::string& name) const {
  return std::find(arguments_.begin(), arguments_.end(), name) != arguments_.end();
}

bool Options::flag(const std::string& name) {
  asked_for_.push_back(name);
  const auto found = std::find(arguments_.begin(), arguments_.end(), name);
  if (found == arguments_.end()) return false;
  arguments_.erase(found);
  return true;
}

std::optional<std::string> Options::text(const std::string& name, const std::string& meaning) {
  const auto text = value_of(name, name + " takes " + meaning);
  if (text && text->empty()) throw UsageError(name + " takes " + meaning + ", but none is given.");
  return text;
}

std::optional<long long> Options::any_integer(const std::string& name, long long least,
                                              long long most) {
  const std::string range =
      name + " takes an integer from " + std::to_string(least) + " to " + std::to_string(most);
  const auto text = value_of(name, range);
  if (!text) return std::nullopt;
  errno = 0;
  char* end = nullptr;
  const long long value = std::strtoll(text->c_str(), &end, 10);
  if (text->empty() || *end != '\0' || errno == ERANGE || value < least || value > most) {
    throw UsageError(range + ", not '" + *text + "'.");
  }
  return value;
}

void Options::finish(const std::string& usage) const {
  if (arguments_.empty()) return;
  const std::string& left = arguments_.front();
  if (std::find(asked_for_.begin(), asked_for_.end(), left) != asked_for_.end()) {
    throw UsageError(left + " is given more than once. Write it once.");
  }
  throw UsageError("'" + left + "' is not an option.\n" + usage);
}

std::optional<std::string> Options::value_of(const std::string& name, const std::string& takes) {
  asked_for_.push_back(name);
  const auto found = std::find(arguments_.begin(), arguments_.end(), name);
  if (found == arguments_.end()) return std::nullopt;
  if (found + 1 == arguments_.end()) throw UsageError(takes + ", but none is given.");
  const std::string value = *(found + 1);
  arguments_.erase(found, found + 2);
  return value;
}
