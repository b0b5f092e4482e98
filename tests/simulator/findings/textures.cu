#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Findings in reads through textures, at the learner's line.

namespace {

template <typename T>
__global__ void read_kernel(int* out, cudaTextureObject_t texture) {
  // finds in destroyed_texture, wrong_type, too_narrow: texture call by 0
  out[threadIdx.x] = static_cast<int>(tex1Dfetch<T>(texture, static_cast<int>(threadIdx.x)));
}

__global__ void wrong_shape(int* out, cudaTextureObject_t texture, bool right) {
  // finds: texture call by 0
  out[0] = right ? tex1Dfetch<int>(texture, 0) : tex2D<int>(texture, 0, 0);
}

__global__ void race_kernel(int* out, int* in, cudaTextureObject_t texture, bool right) {
  in[threadIdx.x] = 1;  // finds in race_with_a_texture: race store by 32
  if (right) __syncthreads();
  // finds in race_with_a_texture: race load by 0
  out[threadIdx.x] = tex1Dfetch<int>(texture, static_cast<int>(threadIdx.x ^ 32));
}

cudaTextureObject_t texture_of(int* memory, std::size_t bytes) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, cudaCreateChannelDesc<int>(), bytes};
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  return texture;
}

template <typename Wrong>
Launch fetching(Wrong wrong) {
  return [=](Buffers d, bool right) {
    const cudaTextureObject_t texture = texture_of(d.in, 4096);
    if (right) {
      read_kernel<int><<<1, 32>>>(d.out, texture);
    } else {
      wrong(d, texture);
    }
    cudaDestroyTextureObject(texture);
  };
}

INSTANTIATE_TEST_SUITE_P(
    Textures, MarkedKernels,
    marked_kernels({{"destroyed_texture", fetching([](Buffers d, cudaTextureObject_t texture) {
                       cudaDestroyTextureObject(texture);
                       read_kernel<int><<<1, 32>>>(d.out, texture);
                     }),
                     "a thread called tex1Dfetch with a handle of no texture object:"},
                    {"wrong_type", fetching([](Buffers d, cudaTextureObject_t texture) {
                       read_kernel<float><<<1, 32>>>(d.out, texture);
                     }),
                     "for a float type, but this texture returns integers"},
                    {"too_narrow", fetching([](Buffers d, cudaTextureObject_t texture) {
                       read_kernel<short><<<1, 32>>>(d.out, texture);
                     }),
                     "for channels of 16 bits, but those of this texture have 32"},
                    {"wrong_shape",
                     [](Buffers d, bool right) {
                       const cudaTextureObject_t texture = texture_of(d.in, 4096);
                       wrong_shape<<<1, 1>>>(d.out, texture, right);
                       cudaDestroyTextureObject(texture);
                     },
                     "a texture of linear memory, which tex1Dfetch reads"},
                    {"race_with_a_texture",
                     [](Buffers d, bool right) {
                       const cudaTextureObject_t texture = texture_of(d.in, 4096);
                       race_kernel<<<1, 64>>>(d.out, d.in, texture, right);
                       cudaDestroyTextureObject(texture);
                     },
                     "race on"}}),
    case_name);

}  // namespace
