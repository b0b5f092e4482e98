// Stage 12: one kernel that centres, makes norms and packs
//
// In stage 11 the vectors are packed, and then centred where they lie: read twice and written
// twice. Here one kernel does it all with what it has in registers (centring.h). It takes 32
// components of 32 vectors at a time, through a tile in shared memory, and loads the next ones
// meanwhile. A thread has four neighbouring components of a vector, eight threads have a vector.
//
// Where they are stored is a parameter of the kernel's template, as the next stages want other
// places: a type with an operator(), which the compiler puts in line. This one stores into the
// packed tiles of stage 07.
//
// Cost: in place of packing and centring in place, the vectors are read once and written once. But
// a thread's four components lie 64 floats apart in a packed tile: a store of a warp is to 16
// sectors, and brings 8 bytes to each. Next: products/13_one_warpgroup.cu.

#include "products/centring.h"
#include "distances.h"
#include "packed_tiles.h"
#include "products/product_tiles.h"

#include "common/error_bound.h"

#include <cstddef>

// Centred vectors in the order of packed_tiles.h, where vector_at(place) is what a place holds.
struct PackedTiles {
  float* packed;
  int dimensions;

  __device__ void operator()(int vector, int step, int piece, float4 x) const {
    const int k = step * kStepDepth + 4 * piece;
    if (k >= step_count(dimensions) * kDepth) return;  // a multiple of four: all of them or none
    const int in_group = vector % kThreadCols * 4 + vector % kGroup / kThreadCols;
    const int place = vector % kTileDim / kGroup * kGroup + in_group;
    float* const to = packed + vector / kTileDim * tile_floats(dimensions) + k * kTileDim + place;
    const float four[] = {x.x, x.y, x.z, x.w};
    for (int n = 0; n < 4; ++n) to[n * kTileDim] = four[n];
  }
};

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, step_count(dimensions) * kDepth, workspace);
  launch_centring(points, Origin::kMean, centring, PackedTiles{centring.behind, dimensions},
                  stream);
  launch_products(centring.behind, centring.norms, count, dimensions, distances, stream);
}

std::size_t workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, step_count(dimensions) * kDepth, nullptr);
  return centring.bytes() + packed_floats(centring.vectors, dimensions) * sizeof(float);
}
ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kMean);
}
