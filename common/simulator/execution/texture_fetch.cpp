#include "execution/kernel_failure.h"
#include "runtime/arrays.h"
#include "runtime/textures.h"

#include "simulator/atomics.h"
#include "simulator/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace cuda_simulator {
namespace {

int dimensions_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::plane:
    case TextureShape::layered_plane:
      return 2;
    case TextureShape::volume:
      return 3;
    default:
      return 1;
  }
}

bool is_float(const cudaChannelFormatDesc& format) {
  return format.f == cudaChannelFormatKindFloat;
}

// Why the texture cannot give what the function asks for; empty if it can.
std::string misuse_of(const TextureFetch& fetch, const Texture* texture) {
  if (!texture) return "with a handle of no texture object: it was never created, or is destroyed";
  if (texture->shape != fetch.shape) {
    constexpr const char* kShapes[] = {"linear memory, which tex1Dfetch reads",
                                       "a 1-D array, which tex1D reads",
                                       "2-D memory, which tex2D reads",
                                       "a 3-D array, which tex3D reads",
                                       "a layered 1-D array, which tex1DLayered reads",
                                       "a layered 2-D array, which tex2DLayered reads"};
    return std::string("with a texture of ") + kShapes[static_cast<int>(texture->shape)];
  }
  if (channels_of(fetch.expected) > channels_of(texture->format))
    return "for " + std::to_string(channels_of(fetch.expected)) +
           " channels, but a texel of this texture has " +
           std::to_string(channels_of(texture->format));
  const bool gives_float = is_float(texture->format) || texture->is_converted;
  if (is_float(fetch.expected) != gives_float)
    return std::string("for ") + (gives_float ? "an integer" : "a float") +
           " type, but this texture returns " + (gives_float ? "floats" : "integers") +
           ": see its channel format and its readMode";
  if (!gives_float && fetch.expected.x < texture->format.x)
    return "for channels of " + std::to_string(fetch.expected.x) +
           " bits, but those of this texture have " + std::to_string(texture->format.x);
  if (fetch.shape >= TextureShape::layered_line &&
      (fetch.index < 0 || fetch.index >= texture->layers))
    return "for layer " + std::to_string(fetch.index) + " of " + std::to_string(texture->layers);
  return "";
}

[[noreturn]] void end_misused(const TextureFetch& fetch, const Texture* texture,
                              const void* caller) {
  stop_tracing_this_thread();
  end_kernel(
      {finding_kind::kTexture, "called " + (fetch.function + (" " + misuse_of(fetch, texture))),
       "call", cudaErrorLaunchFailure},
      caller);
}

// The channels of a texel in memory, widened to 32 bits.
Texel load(const Texture& texture, const unsigned char* address) {
  Texel texel = {};
  const int bits = texture.format.x;
  for (int i = 0; i < channels_of(texture.format); ++i) {
    unsigned value = 0;
    std::memcpy(&value, address + i * bits / 8, static_cast<std::size_t>(bits) / 8);
    if (texture.format.f == cudaChannelFormatKindSigned)
      value = static_cast<unsigned>(static_cast<int>(value << (32 - bits)) >> (32 - bits));
    if (texture.is_converted) {
      const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
      const auto largest = static_cast<float>((1u << (bits - is_signed)) - 1);
      const float part = is_signed ? static_cast<float>(static_cast<int>(value)) / largest
                                   : static_cast<float>(value) / largest;
      const float result = std::max(part, -1.0f);
      std::memcpy(&value, &result, sizeof value);
    }
    texel.channels[i] = value;
  }
  return texel;
}

constexpr long kOutside = -1;  // a texel of the border

// The texels that one coordinate selects, and the part of the second one, in 256ths.
struct Selection {
  long texels[2];
  int second_part;
};

// The texel, moved into the texture.
long inside(long texel, long extent, cudaTextureAddressMode mode) {
  if (texel >= 0 && texel < extent) return texel;
  switch (mode) {
    case cudaAddressModeWrap:
      return (texel % extent + extent) % extent;
    case cudaAddressModeMirror: {
      const long turned = (texel % (2 * extent) + 2 * extent) % (2 * extent);
      return turned < extent ? turned : 2 * extent - 1 - turned;
    }
    case cudaAddressModeBorder:
      return kOutside;
    default:
      return texel < 0 ? 0 : extent - 1;
  }
}

Selection select(float coordinate, long extent, cudaTextureAddressMode mode,
                 const cudaTextureDesc& description) {
  // Far beyond any texture, where every mode gives the same as at the limit.
  constexpr float kFar = 1 << 24;
  float x = std::isnan(coordinate) ? 0.0f : coordinate;
  if (description.normalizedCoords) {
    // Whole periods are taken away before the product, which would round them.
    if (mode == cudaAddressModeWrap) x -= std::floor(x);
    if (mode == cudaAddressModeMirror) x -= 2 * std::floor(x / 2);
    x *= static_cast<float>(extent);
  } else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
    mode = cudaAddressModeClamp;
  }
  x = std::isnan(x) ? 0.0f : std::min(std::max(x, -kFar), kFar);
  if (description.filterMode == cudaFilterModePoint)
    return {{inside(static_cast<long>(std::floor(x)), extent, mode), kOutside}, 0};
  const float from_centre = x - 0.5f, first = std::floor(from_centre);
  // The hardware has 8 bits for the fraction.
  const auto rounded = static_cast<int>(std::round((from_centre - first) * 256));
  const long texel = static_cast<long>(first) + rounded / 256;
  return {{inside(texel, extent, mode), inside(texel + 1, extent, mode)}, rounded % 256};
}

const unsigned char* address_of(const Texture& texture, long x, long y, long z) {
  return texture.memory + static_cast<std::size_t>(z) * texture.slice_bytes +
         static_cast<std::size_t>(y) * texture.row_bytes +
         static_cast<std::size_t>(x) * texture.texel_bytes;
}

Texel traced_load(const Texture& texture, long x, long y, long z, const void* caller) {
  Texel texel = {};
  if (x == kOutside || y == kOutside || z == kOutside) {
    std::memcpy(texel.channels, texture.description.borderColor, sizeof texel.channels);
    return texel;
  }
  const unsigned char* const address = address_of(texture, x, y, z);
  trace_access(address, texture.texel_bytes, AccessKind::load, caller);
  return load(texture, address);
}

// The weights of up to 8 texels, in 256ths. Bit d of an index is set for the second texel along d.
// The weight 1 is divided along z, then x, then y, and each division gives whole 256ths. An H100
// has these weights for all 257 x 257 pairs of fractions in 2-D, and for 20,000 triples in 3-D.
std::array<int, 8> weights_of(const Selection (&along)[3]) {
  const auto share = [](int whole, int part) { return (whole * part + 128) / 256; };
  const int x = along[0].second_part, y = along[1].second_part, z = along[2].second_part;
  std::array<int, 8> weights;
  for (const int plane : {0, 1}) {
    const int in_plane = plane ? z : 256 - z;
    const int second = share(in_plane, x), first = in_plane - second;
    const int first_first = share(first, 256 - y), second_second = share(second, y);
    int* const corners = &weights[plane * 4];
    corners[0] = first_first;
    corners[1] = second - second_second;
    corners[2] = first - first_first;
    corners[3] = second_second;
  }
  return weights;
}

// The weighted sum of up to 8 texels. A texel without weight is not read.
Texel filtered(const Texture& texture, const Selection (&along)[3], int dimensions,
               const void* caller) {
  double sums[4] = {};
  const std::array<int, 8> weights = weights_of(along);
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    if (weights[corner] == 0) continue;
    long at[3];
    for (int d = 0; d < 3; ++d) at[d] = along[d].texels[corner >> d & 1];
    const Texel texel = traced_load(texture, at[0], at[1], at[2], caller);
    for (int i = 0; i < 4; ++i) {
      float value;
      std::memcpy(&value, &texel.channels[i], sizeof value);
      sums[i] += weights[corner] * static_cast<double>(value) / 256;
    }
  }
  Texel result;
  for (int i = 0; i < 4; ++i) {
    const auto rounded = static_cast<float>(sums[i]);
    std::memcpy(&result.channels[i], &rounded, sizeof rounded);
  }
  return result;
}

}  // namespace

Texel fetch_texel(const TextureFetch& fetch, const void* caller) {
  const Texture* const texture = find_texture(fetch.texture);
  if (!misuse_of(fetch, texture).empty()) end_misused(fetch, texture, caller);
  if (fetch.shape == TextureShape::linear) {  // outside, the hardware returns zeros
    const bool is_inside = fetch.index >= 0 && fetch.index < texture->extent[0];
    return is_inside ? traced_load(*texture, fetch.index, 0, 0, caller) : Texel{};
  }
  const int dimensions = dimensions_of(fetch.shape);
  Selection along[3] = {};
  for (int d = 0; d < dimensions; ++d) {
    along[d] = select(fetch.at[d], texture->extent[d], texture->description.addressMode[d],
                      texture->description);
  }
  if (fetch.shape >= TextureShape::layered_line) along[2].texels[0] = fetch.index;
  if (texture->description.filterMode == cudaFilterModeLinear)
    return filtered(*texture, along, dimensions, caller);
  return traced_load(*texture, along[0].texels[0], along[1].texels[0], along[2].texels[0], caller);
}

}  // namespace cuda_simulator
