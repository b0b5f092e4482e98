#include "common/harness/printable.h"

#include <cstddef>

namespace {

// Number of bytes at the start of a UTF-8 text that a terminal can interpret as a command; 0 if it
// prints them. Line ends and tabs are printed.
std::size_t command_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (byte(0) < ' ') return byte(0) == '\n' || byte(0) == '\t' ? 0 : 1;
  if (byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2) return byte(1) >= 0x80 && byte(1) <= 0x9f ? 2 : 0;  // U+0080 to U+009F
  if (byte(0) != 0xe2) return 0;
  // Characters that change the direction of writing: U+202A to U+202E, U+2066 to U+2069.
  const bool turns = (byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                     (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
  return turns ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = command_bytes(text);
    shown += bytes > 0 ? '?' : text.front();
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return shown;
}
