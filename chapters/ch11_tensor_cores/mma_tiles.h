#pragma once

// The tiles of a product of floats with mma.sync.

#include "mma.h"
#include "tile_copies.h"

constexpr int kBandHeight = 8;  // tiles

constexpr int kWarpRows = 64, kWarpCols = 32;  // of c, per warp
// The fragments of a warp.
constexpr int kMmaRows = kWarpRows / 16, kMmaCols = kWarpCols / 8;
using Sums = CFragment[kMmaRows][kMmaCols];

constexpr int kDepth = 32;  // along k, per step: 128 bytes of a row of `a`
constexpr int kBuffers = 3;
// The padded length of a row in shared memory. The rows that lanes load at the same time (8 rows of
// `a`, 4 rows of `b`) begin in different banks.
constexpr int kAPitch = kDepth + 4, kBPitch = kTileCols + 8;
constexpr int kBufferSize = kTileRows * kAPitch + kDepth * kBPitch;

template <int kWidth>
using Copies = TileCopies<kWidth, float, kDepth, kAPitch, kBPitch>;
