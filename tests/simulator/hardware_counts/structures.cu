#include "lane_inputs.h"

#include <cstring>

// Structures of all shapes, vectors and single bytes, as learners load, copy and store them.

namespace {

std::vector<Case> cases;

// The thread's element of an array of T, which is stored in the floats.
template <typename T>
__host__ __device__ const T& element(const LaneInputs& in, int i) {
  return reinterpret_cast<const T*>(in.floats)[i];
}

struct Point {
  float x, y;
};
struct Vertex {
  float x, y, z;
};
struct Particle {
  Vertex position, velocity;
  float mass, charge;
};
struct FloatAndShorts {  // aligned to 4
  float value;
  short first, second;
};
struct alignas(8) AlignedFloatAndShorts {
  float value;
  short first, second;
};
struct alignas(16) PaddedVertex {
  float x, y, z;
};
struct Matrix2 {
  float rows[2][2];
};
struct KeyValue {
  int key;
  float value;
};
struct Wide {  // 32 bytes
  float4 low, high;
};
struct Nested {
  KeyValue pair;
  Point at;
};
struct Flagged {  // 12 bytes, 3 of them padding
  float value;
  unsigned char flag;
  int number;
};

// ---- Loads ----

LANE_FUNCTION(vertex_x, "x of structures of three floats") { out[i] = element<Vertex>(in, i).x; }
LANE_FUNCTION(vertex_all, "whole structures of three floats") {
  const Vertex v = element<Vertex>(in, i);
  out[i] = v.x + 2 * v.y + 3 * v.z;
}
LANE_FUNCTION(vertex_padded, "the same, aligned to 16 bytes") {
  const PaddedVertex v = element<PaddedVertex>(in, i);
  out[i] = v.x + 2 * v.y + 3 * v.z;
}
LANE_FUNCTION(vertex_in_arrays, "the same in three arrays") {
  out[i] = in.floats[i] + 2 * in.floats[kLaneCount + i] + 3 * in.floats[2 * kLaneCount + i];
}
LANE_FUNCTION(particle_mass, "one float of structures of 32 bytes") {
  out[i] = element<Particle>(in, i).mass;
}
LANE_FUNCTION(particle_energy, "four floats of structures of 32 bytes") {
  const Particle& p = element<Particle>(in, i);
  const Vertex v = p.velocity;
  out[i] = p.mass * (v.x + v.y + v.z);
}
LANE_FUNCTION(float_and_shorts, "two shorts after a float") {
  const auto* const pairs = reinterpret_cast<const FloatAndShorts*>(in.shorts);
  const FloatAndShorts f = pairs[i];
  out[i] = static_cast<float>(f.first + f.second);
}
LANE_FUNCTION(float_and_shorts_aligned, "the same, aligned to 8 bytes") {
  const auto* const pairs = reinterpret_cast<const AlignedFloatAndShorts*>(in.shorts);
  const AlignedFloatAndShorts f = pairs[i];
  out[i] = static_cast<float>(f.first + f.second);
}
LANE_FUNCTION(matrix_2x2, "structures that hold an array of 2 x 2 floats") {
  const Matrix2 m = element<Matrix2>(in, i);
  out[i] = m.rows[0][0] * m.rows[1][1] - m.rows[0][1] * m.rows[1][0];
}
LANE_FUNCTION(two_float4, "structures of two `float4`") {
  const Wide w = element<Wide>(in, i);
  out[i] = w.low.x + w.low.w + w.high.y + w.high.z;
}
LANE_FUNCTION(nested_field, "a field of a structure in a structure") {
  out[i] = element<Nested>(in, i).at.y;
}
LANE_FUNCTION(follow_nodes, "four steps along a list") {
  int at = i;
  float sum = 0;
#pragma unroll 1
  for (int step = 0; step < 4; ++step) {
    sum += in.floats[at];
    at = in.ints[at];
  }
  out[i] = sum;
}
LANE_FUNCTION(member_by_warp, "x or z, by a pointer to a member") {
  const auto member = i % 64 < 32 ? &Vertex::x : &Vertex::z;
  out[i] = element<Vertex>(in, i).*member;
}

// ---- CUDA's vector types ----

LANE_FUNCTION(add_float2, "x and y of a `float2`") {
  const float2 v = element<float2>(in, i);
  out[i] = v.x + v.y;
}
LANE_FUNCTION(add_float4_strided, "every third `float4`") {
  const float4 v = element<float4>(in, 3 * i % 512);
  out[i] = v.x + v.y + v.z + v.w;
}
LANE_FUNCTION(add_int4, "an `int4`") {
  const int4 v = reinterpret_cast<const int4*>(in.ints)[i];
  out[i] = static_cast<float>(v.x + v.y - v.z - v.w);
}
LANE_FUNCTION(add_double2, "a `double2`") {
  const double2 v = reinterpret_cast<const double2*>(in.doubles)[i];
  out[i] = static_cast<float>(v.x + v.y);
}
LANE_FUNCTION(add_short4, "a `short4`") {
  const short4 v = reinterpret_cast<const short4*>(in.shorts)[i];
  out[i] = static_cast<float>(v.x + v.y + v.z + v.w);
}
LANE_FUNCTION(grey_of_uchar4, "a pixel of a `uchar4`") {
  const uchar4 pixel = reinterpret_cast<const uchar4*>(in.ints)[i];
  out[i] = static_cast<float>(pixel.x + 2 * pixel.y + pixel.z);
}
LANE_FUNCTION(grey_of_bytes, "a pixel of three bytes") {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(in.ints) + 3 * i;
  out[i] = static_cast<float>(bytes[0] + 2 * bytes[1] + bytes[2]);
}
LANE_FUNCTION(one_byte, "one byte per lane") {
  out[i] = reinterpret_cast<const unsigned char*>(in.ints)[i];
}
LANE_FUNCTION(bytes_apart, "every fifth byte") {
  out[i] = reinterpret_cast<const signed char*>(in.shorts)[5 * i];
}

// ---- memcpy and unions ----

template <typename T>
__host__ __device__ void copy_bytes(const LaneInputs& in, float* out, int i) {
  T value;
  memcpy(&value, in.ints + i * (sizeof(T) / 4), sizeof value);
  float first;
  memcpy(&first, &value, sizeof first);
  out[i] = first;
}
const Added memcpy_4_case(cases, lane_case("memcpy/4", "`memcpy` of N bytes into a variable",
                                           copy_bytes<int>, per_thread<copy_bytes<int>>));
const Added memcpy_8_case(cases, lane_case("memcpy/8", "`memcpy` of N bytes into a variable",
                                           copy_bytes<int2>, per_thread<copy_bytes<int2>>));
union Bits {
  int number;
  unsigned char bytes[4];
};
LANE_FUNCTION(union_of_bytes, "the bytes of a word, by a union") {
  Bits bits;
  bits.number = in.ints[i];
  out[i] = static_cast<float>(bits.bytes[0] + 256 * bits.bytes[1]);
}

// ---- Stores: out has kLaneCount floats ----

LANE_FUNCTION(store_point, "a structure of two floats, in braces") {
  if (i < kLaneCount / 2) reinterpret_cast<Point*>(out)[i] = {in.floats[i], in.floats[i + 7]};
}
LANE_FUNCTION(store_float4_reversed, "`float4` from the end") {
  if (i >= kLaneCount / 4) return;
  const float4 v = element<float4>(in, i);
  reinterpret_cast<float4*>(out)[kLaneCount / 4 - 1 - i] = make_float4(v.w, v.z, v.y, v.x);
}
LANE_FUNCTION(copy_two_float4, "copy of structures of two `float4`") {
  if (i < kLaneCount / 8) reinterpret_cast<Wide*>(out)[i] = element<Wide>(in, i);
}
LANE_FUNCTION(copy_vertex, "copy of structures of three floats") {
  if (i < kLaneCount / 3) reinterpret_cast<Vertex*>(out)[i] = element<Vertex>(in, i);
}
LANE_FUNCTION(copy_matrix, "copy of structures that hold 2 x 2 floats") {
  if (i < kLaneCount / 4) reinterpret_cast<Matrix2*>(out)[i] = element<Matrix2>(in, i);
}
LANE_FUNCTION(store_value, "every second float") {
  if (i < kLaneCount / 2) reinterpret_cast<KeyValue*>(out)[i].value = in.floats[i];
}
LANE_FUNCTION(store_shorts, "one short per lane") {
  reinterpret_cast<unsigned short*>(out)[i] = static_cast<unsigned short>(in.ints[i]);
}
LANE_FUNCTION(store_bytes, "every fifth byte") {
  reinterpret_cast<unsigned char*>(out)[4 * i + i % 4] = static_cast<unsigned char>(in.ints[i]);
}
LANE_FUNCTION(store_flagged, "a float, a byte and an int of a structure") {
  if (i >= kLaneCount / 3) return;
  Flagged* const flagged = reinterpret_cast<Flagged*>(out) + i;
  flagged->value = in.floats[i];
  flagged->flag = 1;
  flagged->number = in.ints[i];
}
__host__ __device__ Point turned(Point p) { return {-p.y, p.x}; }
LANE_FUNCTION(store_returned, "a structure that a function returns") {
  if (i < kLaneCount / 2) reinterpret_cast<Point*>(out)[i] = turned(element<Point>(in, i));
}
__host__ __device__ float4 doubled(float4 v) {
  return make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
LANE_FUNCTION(store_returned_float4, "a `float4` that a function returns") {
  if (i < kLaneCount / 4) reinterpret_cast<float4*>(out)[i] = doubled(element<float4>(in, i));
}

}  // namespace

std::vector<Case> structure_cases() { return cases; }
