#pragma once

#include <string>
#include <string_view>

// The text with "?" instead of terminal commands, because arguments and file names can contain any
// bytes.
std::string printable(std::string_view text);
