#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Arrays and texture objects.

namespace {

class Textures : public DeviceTest {
 protected:
  // An array of these texels, and its texture.
  template <typename T>
  cudaTextureObject_t texture_of(const std::vector<T>& texels, std::size_t width,
                                 std::size_t height, const cudaTextureDesc& description) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const std::size_t row_bytes = width * sizeof(T);
    EXPECT_EQ(cudaMallocArray(&array_, &format, width, height), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 0, texels.data(), row_bytes, row_bytes,
                                  height > 0 ? height : 1, cudaMemcpyHostToDevice),
              cudaSuccess);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    return texture_of(resource, description);
  }
  cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                                 const cudaTextureDesc& description) {
    EXPECT_EQ(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), cudaSuccess);
    return texture_;
  }
  void TearDown() override {
    EXPECT_EQ(cudaDestroyTextureObject(texture_), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array_), cudaSuccess);
  }

  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
};

cudaTextureDesc described(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                          bool normalized = false) {
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& each : description.addressMode) each = mode;
  description.filterMode = filter;
  description.normalizedCoords = normalized;
  return description;
}

// Reads at first, first + step, ...
template <typename T>
__global__ void read_line_kernel(T* out, cudaTextureObject_t texture, float first, float step) {
  out[threadIdx.x] = tex1D<T>(texture, first + step * static_cast<float>(threadIdx.x));
}

std::vector<float> line(cudaTextureObject_t texture, int count, float first, float step) {
  return output_of<float>(static_cast<std::size_t>(count), [=](float* d_out) {
    read_line_kernel<<<1, count>>>(d_out, texture, first, step);
  });
}

const std::vector<float> kTexels = {10, 20, 30, 40};

TEST_F(Textures, AreClampedToTheirEdges) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeClamp, cudaFilterModePoint));
  EXPECT_EQ(line(texture, 7, -1.5f, 1), (std::vector<float>{10, 10, 10, 20, 30, 40, 40}));
}

TEST_F(Textures, HaveABorder) {
  cudaTextureDesc description = described(cudaAddressModeBorder, cudaFilterModePoint);
  description.borderColor[0] = 7;
  EXPECT_EQ(line(texture_of(kTexels, 4, 0, description), 6, -0.5f, 1),
            (std::vector<float>{7, 10, 20, 30, 40, 7}));
}

TEST_F(Textures, Repeat) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeWrap, cudaFilterModePoint, true));
  EXPECT_EQ(line(texture, 6, -0.125f, 0.25f), (std::vector<float>{40, 10, 20, 30, 40, 10}));
}

TEST_F(Textures, AreMirrored) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeMirror, cudaFilterModePoint, true));
  EXPECT_EQ(line(texture, 7, -0.375f, 0.25f), (std::vector<float>{20, 10, 10, 20, 30, 40, 40}));
}

TEST_F(Textures, DoNotRepeatWithoutNormalizedCoordinates) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeWrap, cudaFilterModePoint));
  EXPECT_EQ(line(texture, 2, 4.5f, 1), (std::vector<float>{40, 40}));
}

TEST_F(Textures, AreInterpolated) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeClamp, cudaFilterModeLinear));
  EXPECT_EQ(line(texture, 5, 0.25f, 0.5f), (std::vector<float>{10, 12.5f, 17.5f, 22.5f, 27.5f}));
}

// The fraction has 8 bits: 1/1024 is none.
TEST_F(Textures, AreInterpolatedIn256Steps) {
  const auto texture =
      texture_of(kTexels, 4, 0, described(cudaAddressModeClamp, cudaFilterModeLinear));
  EXPECT_EQ(line(texture, 2, 0.5f + 1.0f / 1024, 1.0f / 256),
            (std::vector<float>{10, 10.0390625f}));
}

TEST_F(Textures, OfBytesAreReadAsFloats) {
  cudaTextureDesc description = described(cudaAddressModeClamp, cudaFilterModePoint);
  description.readMode = cudaReadModeNormalizedFloat;
  const auto texture = texture_of(std::vector<signed char>{-128, -127, 0, 127}, 4, 0, description);
  EXPECT_EQ(line(texture, 4, 0.5f, 1), (std::vector<float>{-1, -1, 0, 1}));
}

template <typename T>
__global__ void read_plane_kernel(T* out, cudaTextureObject_t texture) {
  const auto x = static_cast<float>(threadIdx.x), y = static_cast<float>(threadIdx.y);
  out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<T>(texture, x + 0.5f, y + 0.5f);
}

TEST_F(Textures, HaveVectorsAsTexels) {
  const auto texels = generated<uchar4>(6, [](int i) {
    return make_uchar4(static_cast<unsigned char>(i), 0, 255, static_cast<unsigned char>(9 * i));
  });
  const auto texture =
      texture_of(texels, 3, 2, described(cudaAddressModeClamp, cudaFilterModePoint));
  const auto read = output_of<uchar4>(
      6, [&](uchar4* d_out) { read_plane_kernel<<<1, dim3(3, 2)>>>(d_out, texture); });
  EXPECT_EQ(read[5].x, 5);
  EXPECT_EQ(read[4].w, 36);
  EXPECT_EQ(read[1].z, 255);
}

TEST_F(Textures, OfPitchedMemory) {
  DeviceBuffer<int> d_texels(generated<int>(2 * 64, [](int i) { return i; }));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {d_texels.data(), cudaCreateChannelDesc<int>(), 3, 2, 64 * sizeof(int)};
  const auto texture = texture_of(resource, described(cudaAddressModeClamp, cudaFilterModePoint));
  EXPECT_EQ(
      output_of<int>(8, [&](int* d_out) { read_plane_kernel<<<1, dim3(4, 2)>>>(d_out, texture); }),
      (std::vector<int>{0, 1, 2, 2, 64, 65, 66, 66}));
}

__global__ void fetch_kernel(short2* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex1Dfetch<short2>(texture, static_cast<int>(threadIdx.x));
}

TEST_F(Textures, OfLinearMemoryEndWithZeros) {
  DeviceBuffer<short2> d_texels(std::vector<short2>{{-3, 4}, {5, -6}});
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {d_texels.data(), cudaCreateChannelDesc<short2>(), 2 * sizeof(short2)};
  const auto texture = texture_of(resource, {});
  const auto read =
      output_of<short2>(3, [&](short2* d_out) { fetch_kernel<<<1, 3>>>(d_out, texture); });
  EXPECT_EQ(read[0].x, -3);
  EXPECT_EQ(read[1].y, -6);
  EXPECT_EQ(read[2].x, 0);
}

__global__ void read_layers_kernel(float* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex2DLayered<float>(texture, 1.5f, 0.5f, static_cast<int>(threadIdx.x));
}
__global__ void read_volume_kernel(float* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex3D<float>(texture, 1.0f, 0.5f, static_cast<float>(threadIdx.x) + 0.5f);
}

// 2 x 1 x 3 texels, read in both ways: 1 to 6.
class DeepTextures : public Textures {
 protected:
  cudaTextureObject_t deep_texture(unsigned flags, cudaTextureFilterMode filter) {
    const std::vector<float> texels = {1, 2, 3, 4, 5, 6};
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    EXPECT_EQ(cudaMalloc3DArray(&array_, &format, make_cudaExtent(2, 1, 3), flags), cudaSuccess);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(texels.data()), 2 * sizeof(float), 2, 1);
    copy.dstArray = array_;
    copy.extent = make_cudaExtent(2, 1, 3);
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    return texture_of(resource, described(cudaAddressModeClamp, filter));
  }
};

TEST_F(DeepTextures, HaveLayers) {
  const auto texture = deep_texture(cudaArrayLayered, cudaFilterModeLinear);
  EXPECT_EQ(
      output_of<float>(3, [&](float* d_out) { read_layers_kernel<<<1, 3>>>(d_out, texture); }),
      (std::vector<float>{2, 4, 6}));
}

TEST_F(DeepTextures, AreVolumes) {
  const auto texture = deep_texture(cudaArrayDefault, cudaFilterModeLinear);
  EXPECT_EQ(
      output_of<float>(3, [&](float* d_out) { read_volume_kernel<<<1, 3>>>(d_out, texture); }),
      (std::vector<float>{1.5f, 3.5f, 5.5f}));
}

__global__ void read_between_kernel(float* out, cudaTextureObject_t texture, float3 part) {
  out[0] = tex3D<float>(texture, 0.5f + part.x, 0.5f + part.y, 0.5f + part.z);
}

class TextureWeights : public DeviceTest {
 protected:
  // The weights of the 2 x 2 x 2 texels between which a texture is read, in 256ths: each is the
  // value where this texel is 256 and the others are 0. Fractions in 256ths, too.
  static std::vector<float> weights_at(float x, float y, float z) {
    const float3 part = make_float3(x / 256, y / 256, z / 256);
    std::vector<float> weights;
    for (std::size_t texel = 0; texel < 8; ++texel) {
      std::vector<float> texels(8);
      texels[texel] = 256;
      weights.push_back(between(texels, part));
    }
    return weights;
  }

 private:
  static float between(std::vector<float> texels, float3 part) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    cudaMemcpy3DParms copy = {};
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), 2 * sizeof(float), 2, 2);
    EXPECT_EQ(cudaMalloc3DArray(&copy.dstArray, &format, copy.extent, 0), cudaSuccess);
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    resource.res.array.array = copy.dstArray;
    const cudaTextureDesc linear = described(cudaAddressModeClamp, cudaFilterModeLinear);
    cudaTextureObject_t texture = 0;
    EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &linear, nullptr), cudaSuccess);
    const std::vector<float> out = output_of<float>(
        1, [&](float* d_out) { read_between_kernel<<<1, 1>>>(d_out, texture, part); });
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(copy.dstArray), cudaSuccess);
    return out[0];
  }
};

// An H100 gave these.
TEST_F(TextureWeights, AreWholeParts) {
  EXPECT_EQ(weights_at(4, 160, 0), (std::vector<float>{95, 1, 157, 3, 0, 0, 0, 0}));
  EXPECT_EQ(weights_at(66, 236, 170), (std::vector<float>{5, 2, 59, 20, 10, 3, 116, 41}));
  EXPECT_EQ(weights_at(192, 203, 130), (std::vector<float>{6, 20, 25, 75, 7, 20, 25, 78}));
}

TEST_F(Textures, OfIntegersCannotBeInterpolated) {
  texture_of(std::vector<int>{1, 2}, 2, 0, described(cudaAddressModeClamp, cudaFilterModePoint));
  cudaResourceDesc resource = {};
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(&resource, texture_), cudaSuccess);
  const cudaTextureDesc linear = described(cudaAddressModeClamp, cudaFilterModeLinear);
  cudaTextureObject_t other = 0;
  EXPECT_EQ(cudaCreateTextureObject(&other, &resource, &linear, nullptr),
            cudaErrorInvalidFilterSetting);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidFilterSetting);
}

TEST_F(Textures, ArraysAreCopiedBackInPart) {
  texture_of(kTexels, 2, 2, described(cudaAddressModeClamp, cudaFilterModePoint));
  std::vector<float> column(2);
  ASSERT_EQ(cudaMemcpy2DFromArray(column.data(), sizeof(float), array_, sizeof(float), 0,
                                  sizeof(float), 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(column, (std::vector<float>{20, 40}));
}

TEST_F(Textures, ACopyBeyondTheRowsOfAnArrayIsRefused) {
  texture_of(kTexels, 2, 2, described(cudaAddressModeClamp, cudaFilterModePoint));
  std::vector<float> row(3);
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 1, row.data(), 12, 12, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

}  // namespace
