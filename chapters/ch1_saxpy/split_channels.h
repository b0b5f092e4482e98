#pragma once

#include <cuda_runtime.h>

// A recording of kChannels channels is stored frame by frame: d_in(kChannels * f + c) is the value
// of channel c in frame f. Stores it channel by channel: d_out(frames * c + f) is that value. Both
// arrays are in device memory, hold kChannels * frames floats, and do not overlap.
//
// frames is from 0 to kMaxFrames. threads, stream and errors are as for saxpy() in saxpy.h.
//
// Exercise 7 defines this one function.
void split_channels(const float* d_in, float* d_out, int frames, int threads,
                    cudaStream_t stream = nullptr);

constexpr int kChannels = 8;
constexpr int kMaxFrames = 1 << 27;  // 2^30 floats per array, as many as saxpy() takes
