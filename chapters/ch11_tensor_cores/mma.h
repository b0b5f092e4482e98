#pragma once

// mma.sync, the instruction of a warp's tensor core: c += a b, where a is 16 x 8, b 8 x 8 and c
// 16 x 8, of TF32 numbers. All 32 lanes take part, and each holds some elements of
// all three matrices. With g = lane / 4 and t = lane % 4, a lane holds the elements
//
//   a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
//   b: (t, g), (t + 4, g)
//   c: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
//
// Source: PTX ISA, Matrix Fragments for mma.m16n8k8.

constexpr int kMmaDepth = 8;  // elements along k per instruction

using AFragment = float[kMmaDepth / 2];
using BFragment = float[kMmaDepth / 4];
using CFragment = float[4];

// The instruction ignores the last 13 bits of each float. PTX guarantees this only for wgmma (PTX
// ISA, wgmma.mma_async). For wmma, CUDA C++ states that the result is undefined for floats without
// __float_to_tf32(). For mma.sync a test measures it: CutsFloatsOffWhereItTakesTf32.
__device__ inline void mma(CFragment& c, const AFragment& a, const BFragment& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
