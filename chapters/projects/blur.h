#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// A box blur of a grey image: out(y, x) is the mean of the square of (2 * radius + 1)^2 pixels
// around in(y, x), rounded to the nearest integer. With `count` pixels in the square, that is
// (sum + count / 2) / count in integers. A pixel of the square that is outside the image has the
// value of the nearest pixel inside: row and column are clamped to 0 .. height - 1 and
// 0 .. width - 1.
//
// Both images have height x width pixels of one byte, row by row and without gaps, in device
// memory; they do not overlap. width and height are each from 0 to kMaxSide (0: an empty image),
// radius is from 0 to kMaxRadius. Returns once the work is queued on `stream`; throws CudaError if
// it cannot be launched.
//
// The project defines this one function.
void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius,
          cudaStream_t stream = nullptr);

constexpr int kMaxSide = 1 << 16;
constexpr int kMaxRadius = 16;
