// The runtime API's functions for texture objects.

#include "runtime/arrays.h"
#include "runtime/copies.h"
#include "runtime/error_state.h"
#include "runtime/textures.h"

#include "simulator/say_once.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace cuda_simulator {
namespace {

// A handle is a place in this table, so kernels find a texture without a lock, and a wrong handle
// is noticed. A place is reused as late as possible: a destroyed texture is not another one.
constexpr std::size_t kMostTextures = 1 << 20;  // that of a GPU
std::array<std::atomic<const Texture*>, kMostTextures> textures;
std::mutex textures_mutex;
std::size_t last_texture = 0;

cudaTextureObject_t add_texture(const Texture& texture) {
  const std::lock_guard<std::mutex> lock(textures_mutex);
  for (std::size_t tried = 0; tried < kMostTextures; ++tried) {
    last_texture = last_texture % (kMostTextures - 1) + 1;  // never 0
    if (textures[last_texture]) continue;
    textures[last_texture] = new Texture(texture);
    return last_texture;
  }
  return 0;
}

cudaError_t refuse_texture(cudaError_t error, const std::string& reason) {
  say_once("cudaCreateTextureObject fails: " + reason, reason);
  return report(error);
}

void set_array(Texture& texture, const cudaArray& array) {
  const auto [width, height, depth] = array.extent;
  const bool is_layered = array.flags == cudaArrayLayered;
  texture.shape = is_layered ? height > 0 ? TextureShape::layered_plane : TextureShape::layered_line
                  : depth > 0  ? TextureShape::volume
                  : height > 0 ? TextureShape::plane
                               : TextureShape::line;
  texture.format = array.format;
  texture.memory = array.memory;
  texture.extent[0] = static_cast<long>(width);
  texture.extent[1] = static_cast<long>(array.rows());
  texture.extent[2] = static_cast<long>(array.slices());
  texture.row_bytes = array.row_bytes();
  texture.slice_bytes = array.row_bytes() * array.rows();
  texture.layers = static_cast<int>(array.slices());
}

constexpr std::size_t kAddressAlignment = 256;  // every address of cudaMalloc() has at least this
constexpr std::size_t kPitchAlignment = 32;

// Empty if the memory of a linear or pitched texture is suitable.
std::string unsuitable(const Texture& texture, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(texture.memory);
  if (!lies_on(Side::device, texture.memory, bytes))
    return "its " + std::to_string(bytes) + " bytes are not in allocated device memory.";
  if (address % kAddressAlignment != 0)
    return "devPtr must be the beginning of an allocation, or aligned like one.";
  if (texture.shape == TextureShape::plane && texture.row_bytes % kPitchAlignment != 0)
    return "pitchInBytes is " + std::to_string(texture.row_bytes) +
           ", which is not a multiple of " + std::to_string(kPitchAlignment) +
           ". Allocate the memory with cudaMallocPitch.";
  return "";
}

// Sets the resource's part of the texture; a reason if that is impossible.
std::string set_resource(Texture& texture, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      if (!is_live(resource.res.array.array)) return "there is no such array. Was it freed?";
      set_array(texture, *resource.res.array.array);
      texture.texel_bytes = texel_bytes_of(texture.format);
      return "";
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      texture.shape = TextureShape::linear;
      texture.format = linear.desc;
      texture.memory = static_cast<const unsigned char*>(linear.devPtr);
      texture.texel_bytes = texel_bytes_of(linear.desc);
      if (texture.texel_bytes == 0) return "";
      texture.extent[0] = static_cast<long>(linear.sizeInBytes / texture.texel_bytes);
      return texture.extent[0] > 0 && texture.extent[0] <= 1 << 28
                 ? unsuitable(texture, linear.sizeInBytes)
                 : "sizeInBytes must be from 1 to 2^28 texels.";
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = resource.res.pitch2D;
      texture.shape = TextureShape::plane;
      texture.format = pitched.desc;
      texture.memory = static_cast<const unsigned char*>(pitched.devPtr);
      texture.texel_bytes = texel_bytes_of(pitched.desc);
      texture.extent[0] = static_cast<long>(pitched.width);
      texture.extent[1] = static_cast<long>(pitched.height);
      texture.row_bytes = pitched.pitchInBytes;
      const std::size_t used = pitched.width * texture.texel_bytes;
      if (pitched.width == 0 || pitched.height == 0 || pitched.width > 131072 ||
          pitched.height > 65000 || used > pitched.pitchInBytes) {
        return "width and height must be from 1 to 131072 and 65000, and a row must fit into "
               "pitchInBytes.";
      }
      return unsuitable(texture, (pitched.height - 1) * pitched.pitchInBytes + used);
    }
    default:
      return "the simulator models arrays, linear and pitched memory, but no mipmapped arrays.";
  }
}

}  // namespace

const Texture* find_texture(cudaTextureObject_t handle) {
  return handle < kMostTextures ? textures[handle].load() : nullptr;
}

}  // namespace cuda_simulator

using cuda_simulator::find_texture;
using cuda_simulator::refuse_texture;
using cuda_simulator::report;
using cuda_simulator::Texture;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  if (!handle || !resource || !description) return report(cudaErrorInvalidValue);
  if (view || description->sRGB)
    return refuse_texture(cudaErrorNotSupported,
                          "the simulator models no views of resources and no sRGB colours.");
  Texture texture = {*resource, *description, {}, {}, nullptr, {1, 1, 1}, 0, 0, 0, 1, false};
  const std::string reason = cuda_simulator::set_resource(texture, *resource);
  if (!reason.empty()) return refuse_texture(cudaErrorInvalidValue, reason);
  if (texture.texel_bytes == 0)
    return refuse_texture(cudaErrorInvalidChannelDescriptor,
                          "a texel has 1, 2 or 4 channels of 8, 16 or 32 bits each. The simulator "
                          "has none of half precision.");
  const bool is_converted = description->readMode == cudaReadModeNormalizedFloat &&
                            texture.format.f != cudaChannelFormatKindFloat && texture.format.x < 32;
  if (description->filterMode == cudaFilterModeLinear &&
      texture.shape != cuda_simulator::TextureShape::linear && !is_converted &&
      texture.format.f != cudaChannelFormatKindFloat) {
    return refuse_texture(cudaErrorInvalidFilterSetting,
                          "cudaFilterModeLinear needs texels that are read as float: channels of "
                          "type float, or cudaReadModeNormalizedFloat with 8 or 16 bits.");
  }
  texture.is_converted = is_converted;
  *handle = cuda_simulator::add_texture(texture);
  return report(*handle ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  if (handle == 0) return report(cudaSuccess);
  if (!find_texture(handle)) return report(cudaErrorInvalidValue);
  delete cuda_simulator::textures[handle].exchange(nullptr);
  return report(cudaSuccess);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t handle) {
  const Texture* const texture = find_texture(handle);
  if (!texture || !resource) return report(cudaErrorInvalidValue);
  *resource = texture->resource;
  return report(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t handle) {
  const Texture* const texture = find_texture(handle);
  if (!texture || !description) return report(cudaErrorInvalidValue);
  *description = texture->description;
  return report(cudaSuccess);
}
