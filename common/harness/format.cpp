#include "common/harness/format.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

std::string format(const char* pattern, ...) {
  std::va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, pattern, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string printed(double value, int digits) {
  return std::isnan(value) ? "NaN" : format("%.*g", digits, value);
}
