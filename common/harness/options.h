#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// A wrong command line: print the message and exit with 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The options of a program: "--rows 1000", "--rows=1000" and "--csv". Query each one, then call
// finish().
class Options {
 public:
  Options(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const std::size_t equals = argument.find('=');
      const bool splits = argument.rfind("--", 0) == 0 && equals != std::string::npos;
      arguments_.push_back(splits ? argument.substr(0, equals) : argument);
      if (splits) arguments_.push_back(argument.substr(equals + 1));
    }
  }

  // Whether the option is given. It must still be queried.
  bool has(const std::string& name) const {
    return std::find(arguments_.begin(), arguments_.end(), name) != arguments_.end();
  }

  // Whether the option is given.
  bool flag(const std::string& name) {
    note_question(name);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i] != name) continue;
      arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  // The option's integer as a T, if it is given. Throws UsageError unless it is from `least` to
  // `most`.
  template <typename T = long long>
  std::optional<T> integer(const std::string& name, long long least, long long most) {
    note_question(name);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i] != name) continue;
      const std::string range =
          " takes an integer from " + std::to_string(least) + " to " + std::to_string(most);
      if (i + 1 == arguments_.size()) throw UsageError(name + range + ", but none is given.");
      const std::string text = arguments_[i + 1];
      const auto first = arguments_.begin() + static_cast<std::ptrdiff_t>(i);
      arguments_.erase(first, first + 2);
      errno = 0;
      char* end = nullptr;
      const long long value = std::strtoll(text.c_str(), &end, 10);
      if (text.empty() || *end != '\0' || errno == ERANGE || value < least || value > most) {
        throw UsageError(name + range + ", not '" + text + "'.");
      }
      return static_cast<T>(value);
    }
    return std::nullopt;
  }

  // The option's text, if it is given; `meaning` describes the text. Throws UsageError if the text
  // is missing.
  std::optional<std::string> text(const std::string& name, const std::string& meaning) {
    note_question(name);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i] != name) continue;
      if (i + 1 == arguments_.size() || arguments_[i + 1].empty()) {
        throw UsageError(name + " takes " + meaning + ", but none is given.");
      }
      const std::string text = arguments_[i + 1];
      const auto first = arguments_.begin() + static_cast<std::ptrdiff_t>(i);
      arguments_.erase(first, first + 2);
      return text;
    }
    return std::nullopt;
  }

  // Throws UsageError if an argument was not queried.
  void finish(const std::string& usage) const {
    if (arguments_.empty()) return;
    const std::string& left = arguments_.front();
    if (std::find(asked_for_.begin(), asked_for_.end(), left) != asked_for_.end()) {
      throw UsageError(left + " is given more than once. Write it once.");
    }
    throw UsageError("'" + left + "' is not an option.\n" + usage);
  }

 private:
  void note_question(const std::string& name) { asked_for_.push_back(name); }

  std::vector<std::string> arguments_, asked_for_;
};
