#pragma once

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
  Options(int argc, const char* const* argv);

  // Whether the option is given. It must still be queried.
  bool has(const std::string& name) const;

  // Whether the option is given.
  bool flag(const std::string& name);

  // The option's integer as a T, if it is given. Throws UsageError unless it is from `least` to
  // `most`.
  template <typename T = long long>
  std::optional<T> integer(const std::string& name, long long least, long long most) {
    const std::optional<long long> value = any_integer(name, least, most);
    return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
  }

  // The option's text, if it is given; `meaning` describes the text. Throws UsageError if the text
  // is missing.
  std::optional<std::string> text(const std::string& name, const std::string& meaning);

  // Throws UsageError if an argument was not queried.
  void finish(const std::string& usage) const;

 private:
  std::optional<long long> any_integer(const std::string& name, long long least, long long most);
  std::optional<std::string> value_of(const std::string& name, const std::string& takes);

  std::vector<std::string> arguments_, asked_for_;
};
