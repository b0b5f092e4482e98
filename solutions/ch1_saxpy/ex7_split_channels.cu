// Solution of exercise 7: split channels
//
// Thread i loads float i of the recording, so each load of a warp touches 4 sectors. These 32
// floats are 4 frames: the warp stores 4 consecutive floats in each of the 8 channels.
//
// Cost: 4 sectors per load and 8 per store: 12 for 32 floats. A thread that copies a whole frame
// needs 32 per load and 4 per store; so does a thread that copies to the float i of `out`.
// (A thread that loads 16 bytes, which is stage 04's subject, needs 8 sectors for 32 floats.)

#include "split_channels.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void split_channels_kernel(const float* __restrict__ in, float* __restrict__ out,
                                      int frames) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kChannels * frames) {
    const int frame = i / kChannels;
    const int channel = i % kChannels;
    out[channel * frames + frame] = in[i];
  }
}

void split_channels(const float* d_in, float* d_out, int frames, int threads, cudaStream_t stream) {
  if (frames == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(kChannels * frames, threads);
  split_channels_kernel<<<blocks, threads, 0, stream>>>(d_in, d_out, frames);
  CUDA_CHECK(cudaGetLastError());
}
