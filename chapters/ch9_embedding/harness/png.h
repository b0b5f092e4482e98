#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

// A picture of few colours: pixel (x, y) is colours[pixels[y * width + x]], y counts downwards.
struct Picture {
  int width, height;
  std::vector<std::array<std::uint8_t, 3>> colours;  // red, green, blue; at most 144
  std::vector<std::uint8_t> pixels;
};

// The bytes of a PNG file (ISO/IEC 15948).
std::vector<std::uint8_t> png_of(const Picture& picture);

// Throws std::runtime_error, with the file's name, if it cannot be written.
void write_png(const Picture& picture, const std::string& file);
