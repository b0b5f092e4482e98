#include "harness/png.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace {

using Bytes = std::vector<std::uint8_t>;

void append_big_endian(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

std::uint32_t crc32(const Bytes& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::uint32_t adler32(const Bytes& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const std::uint8_t byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// One block of deflate (RFC 1951) with its fixed codes. It finds nothing but runs of a byte, which
// is what a picture on a plain ground is made of.
class Deflate {
 public:
  Bytes packed(const Bytes& bytes) {
    put(1, 1);  // the last block
    put(1, 2);  // fixed codes
    for (std::size_t at = 0; at < bytes.size();) {
      const std::uint8_t byte = bytes[at];
      std::size_t run = 1;
      while (at + run < bytes.size() && bytes[at + run] == byte) ++run;
      put_code(0x30u + byte, 8);  // a byte below 144
      put_run(byte, run - 1);
      at += run;
    }
    put_code(0, 7);  // the end of the block
    if (used_ > 0) packed_.push_back(static_cast<std::uint8_t>(bits_));
    return packed_;
  }

 private:
  // As many copies of the byte before: 258 or 3 to 10 at a time, whose codes have no further bits.
  void put_run(std::uint8_t byte, std::size_t length) {
    while (length >= 3) {
      const std::size_t part = length >= 258 ? 258 : std::min<std::size_t>(length, 10);
      if (part == 258) {
        put_code(0xc5, 8);
      } else {
        put_code(static_cast<unsigned>(part) - 2, 7);
      }
      put_code(0, 5);  // a distance of 1
      length -= part;
    }
    for (; length > 0; --length) put_code(0x30u + byte, 8);
  }

  void put(unsigned value, int count) {
    for (int i = 0; i < count; ++i) {
      bits_ |= (value >> i & 1) << used_;
      if (++used_ < 8) continue;
      packed_.push_back(static_cast<std::uint8_t>(bits_));
      bits_ = 0;
      used_ = 0;
    }
  }
  // Codes have their first bit in front, unlike numbers.
  void put_code(unsigned code, int count) {
    for (int i = count - 1; i >= 0; --i) put(code >> i & 1, 1);
  }

  Bytes packed_;
  unsigned bits_ = 0;
  int used_ = 0;
};

void append_chunk(Bytes& file, const char* name, const Bytes& data) {
  Bytes named(name, name + 4);
  named.insert(named.end(), data.begin(), data.end());
  append_big_endian(file, static_cast<std::uint32_t>(data.size()));
  file.insert(file.end(), named.begin(), named.end());
  append_big_endian(file, crc32(named));
}

}  // namespace

std::vector<std::uint8_t> png_of(const Picture& picture) {
  Bytes header;
  append_big_endian(header, static_cast<std::uint32_t>(picture.width));
  append_big_endian(header, static_cast<std::uint32_t>(picture.height));
  header.insert(header.end(), {8, 3, 0, 0, 0});  // bits a pixel; a palette; nothing special
  Bytes palette;
  for (const auto& colour : picture.colours) {
    palette.insert(palette.end(), colour.begin(), colour.end());
  }
  Bytes lines;
  const auto width = static_cast<std::ptrdiff_t>(picture.width);
  for (std::ptrdiff_t y = 0; y < picture.height; ++y) {
    lines.push_back(0);  // each line as it is
    const auto line = picture.pixels.begin() + y * width;
    lines.insert(lines.end(), line, line + width);
  }
  Bytes data{0x78, 0x01};  // zlib (RFC 1950), deflate
  const Bytes packed = Deflate().packed(lines);
  data.insert(data.end(), packed.begin(), packed.end());
  append_big_endian(data, adler32(lines));

  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", header);
  append_chunk(file, "PLTE", palette);
  append_chunk(file, "IDAT", data);
  append_chunk(file, "IEND", {});
  return file;
}

void write_png(const Picture& picture, const std::string& file) {
  const Bytes bytes = png_of(picture);
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error(file + " cannot be written: " + std::strerror(errno) + ".");
}
