#include "cases.h"
#include "per_thread.h"

#include <cstring>

// Structures of all shapes, vectors and single bytes, as learners load, copy and store them.

namespace {

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
struct Node {
  int next;
  float value;
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

struct LoadFirstOfVertex {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = element<Vertex>(in, i).x;
  }
};
struct LengthOfVertex {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const Vertex v = element<Vertex>(in, i);
    out[i] = v.x + 2 * v.y + 3 * v.z;
  }
};
struct LengthOfPadded {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const PaddedVertex v = element<PaddedVertex>(in, i);
    out[i] = v.x + 2 * v.y + 3 * v.z;
  }
};
struct MassOfParticle {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = element<Particle>(in, i).mass;
  }
};
struct EnergyOfParticle {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const Particle& p = element<Particle>(in, i);
    const Vertex v = p.velocity;
    out[i] = p.mass * (v.x + v.y + v.z);
  }
};
struct FieldsApart {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = in.floats[i] + 2 * in.floats[kLaneCount + i] + 3 * in.floats[2 * kLaneCount + i];
  }
};
struct SumOfShorts {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const auto* const pairs = reinterpret_cast<const FloatAndShorts*>(in.shorts);
    const FloatAndShorts f = pairs[i];
    out[i] = static_cast<float>(f.first + f.second);
  }
};
struct SumOfAlignedShorts {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const auto* const pairs = reinterpret_cast<const AlignedFloatAndShorts*>(in.shorts);
    const AlignedFloatAndShorts f = pairs[i];
    out[i] = static_cast<float>(f.first + f.second);
  }
};
struct DeterminantOfMatrix {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const Matrix2 m = element<Matrix2>(in, i);
    out[i] = m.rows[0][0] * m.rows[1][1] - m.rows[0][1] * m.rows[1][0];
  }
};
struct SumOfWide {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const Wide w = element<Wide>(in, i);
    out[i] = w.low.x + w.low.w + w.high.y + w.high.z;
  }
};
struct FieldOfNested {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = element<Nested>(in, i).at.y;
  }
};
struct FollowNodes {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int at = i;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 4; ++step) {
      sum += in.floats[at];
      at = in.ints[at];
    }
    out[i] = sum;
  }
};
struct ByPointerToMember {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const auto member = i % 64 < 32 ? &Vertex::x : &Vertex::z;
    out[i] = element<Vertex>(in, i).*member;
  }
};

// ---- CUDA's vector types ----

struct AddFloat2 {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float2 v = element<float2>(in, i);
    out[i] = v.x + v.y;
  }
};
struct AddFloat4OfEvery {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float4 v = element<float4>(in, 3 * i % 512);
    out[i] = v.x + v.y + v.z + v.w;
  }
};
struct AddInt4 {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int4 v = reinterpret_cast<const int4*>(in.ints)[i];
    out[i] = static_cast<float>(v.x + v.y - v.z - v.w);
  }
};
struct AddDouble2 {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const double2 v = reinterpret_cast<const double2*>(in.doubles)[i];
    out[i] = static_cast<float>(v.x + v.y);
  }
};
struct AddShort4 {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const short4 v = reinterpret_cast<const short4*>(in.shorts)[i];
    out[i] = static_cast<float>(v.x + v.y + v.z + v.w);
  }
};
struct GreyOfPixel {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const uchar4 pixel = reinterpret_cast<const uchar4*>(in.ints)[i];
    out[i] = static_cast<float>(pixel.x + 2 * pixel.y + pixel.z);
  }
};
struct GreyOfThreeBytes {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(in.ints) + 3 * i;
    out[i] = static_cast<float>(bytes[0] + 2 * bytes[1] + bytes[2]);
  }
};
struct OneByte {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = reinterpret_cast<const unsigned char*>(in.ints)[i];
  }
};
struct SignedBytesApart {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = reinterpret_cast<const signed char*>(in.shorts)[5 * i];
  }
};

// ---- memcpy and unions ----

template <typename T>
struct CopyBytes {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    T value;
    memcpy(&value, in.ints + i * (sizeof(T) / 4), sizeof value);
    float first;
    memcpy(&first, &value, sizeof first);
    out[i] = first;
  }
};
struct SumOfUnion {
  union Bits {
    int number;
    unsigned char bytes[4];
  };
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    Bits bits;
    bits.number = in.ints[i];
    out[i] = static_cast<float>(bits.bytes[0] + 256 * bits.bytes[1]);
  }
};

// ---- Stores: out has kLaneCount floats ----

struct StorePoint {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 2) reinterpret_cast<Point*>(out)[i] = {in.floats[i], in.floats[i + 7]};
  }
};
struct StoreReversedFloat4 {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i >= kLaneCount / 4) return;
    const float4 v = element<float4>(in, i);
    reinterpret_cast<float4*>(out)[kLaneCount / 4 - 1 - i] = make_float4(v.w, v.z, v.y, v.x);
  }
};
struct CopyWide {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 8) reinterpret_cast<Wide*>(out)[i] = element<Wide>(in, i);
  }
};
struct CopyVertex {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 3) reinterpret_cast<Vertex*>(out)[i] = element<Vertex>(in, i);
  }
};
struct CopyMatrix {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 4) reinterpret_cast<Matrix2*>(out)[i] = element<Matrix2>(in, i);
  }
};
struct StoreOneField {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 2) reinterpret_cast<KeyValue*>(out)[i].value = in.floats[i];
  }
};
struct StoreHalvesOfWords {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    reinterpret_cast<unsigned short*>(out)[i] = static_cast<unsigned short>(in.ints[i]);
  }
};
struct StoreBytes {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    reinterpret_cast<unsigned char*>(out)[4 * i + i % 4] = static_cast<unsigned char>(in.ints[i]);
  }
};
struct CopyFlagged {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i >= kLaneCount / 3) return;
    Flagged* const flagged = reinterpret_cast<Flagged*>(out) + i;
    flagged->value = in.floats[i];
    flagged->flag = 1;
    flagged->number = in.ints[i];
  }
};
struct StoreReturned {
  __host__ __device__ static Point turned(Point p) { return {-p.y, p.x}; }
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 2) reinterpret_cast<Point*>(out)[i] = turned(element<Point>(in, i));
  }
};
struct StoreReturnedFloat4 {
  __host__ __device__ static float4 doubled(float4 v) {
    return make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
  }
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i < kLaneCount / 4) reinterpret_cast<float4*>(out)[i] = doubled(element<float4>(in, i));
  }
};

template <typename Function>
void add(std::vector<Case>& cases, const char* name, const char* description) {
  cases.push_back({name, description, [] {
                     check_per_thread<Function>([](LaneInputs in, float* out) {
                       per_thread<Function><<<kLaneBlocks, kLaneThreads>>>(in, out);
                     });
                   }});
}

void add_loads(std::vector<Case>& cases) {
  add<LoadFirstOfVertex>(cases, "vertex_x", "x of structures of three floats");
  add<LengthOfVertex>(cases, "vertex_all", "whole structures of three floats");
  add<LengthOfPadded>(cases, "vertex_padded", "the same, aligned to 16 bytes");
  add<FieldsApart>(cases, "vertex_in_arrays", "the same in three arrays");
  add<MassOfParticle>(cases, "particle_mass", "one float of structures of 32 bytes");
  add<EnergyOfParticle>(cases, "particle_energy", "four floats of structures of 32 bytes");
  add<SumOfShorts>(cases, "float_and_shorts", "two shorts after a float");
  add<SumOfAlignedShorts>(cases, "float_and_shorts_aligned", "the same, aligned to 8 bytes");
  add<DeterminantOfMatrix>(cases, "matrix_2x2", "structures that hold an array of 2 x 2 floats");
  add<SumOfWide>(cases, "two_float4", "structures of two `float4`");
  add<FieldOfNested>(cases, "nested_field", "a field of a structure in a structure");
  add<FollowNodes>(cases, "follow_nodes", "four steps along a list");
  add<ByPointerToMember>(cases, "member_by_warp", "x or z, by a pointer to a member");
}

void add_vectors(std::vector<Case>& cases) {
  add<AddFloat2>(cases, "add_float2", "x and y of a `float2`");
  add<AddFloat4OfEvery>(cases, "add_float4_strided", "every third `float4`");
  add<AddInt4>(cases, "add_int4", "an `int4`");
  add<AddDouble2>(cases, "add_double2", "a `double2`");
  add<AddShort4>(cases, "add_short4", "a `short4`");
  add<GreyOfPixel>(cases, "grey_of_uchar4", "a pixel of a `uchar4`");
  add<GreyOfThreeBytes>(cases, "grey_of_bytes", "a pixel of three bytes");
  add<OneByte>(cases, "one_byte", "one byte per lane");
  add<SignedBytesApart>(cases, "bytes_apart", "every fifth byte");
  add<CopyBytes<int>>(cases, "memcpy/4", "`memcpy` of N bytes into a variable");
  add<CopyBytes<int2>>(cases, "memcpy/8", "`memcpy` of N bytes into a variable");
  add<SumOfUnion>(cases, "union_of_bytes", "the bytes of a word, by a union");
}

void add_stores(std::vector<Case>& cases) {
  add<StorePoint>(cases, "store_point", "a structure of two floats, in braces");
  add<StoreReversedFloat4>(cases, "store_float4_reversed", "`float4` from the end");
  add<CopyWide>(cases, "copy_two_float4", "copy of structures of two `float4`");
  add<CopyVertex>(cases, "copy_vertex", "copy of structures of three floats");
  add<CopyMatrix>(cases, "copy_matrix", "copy of structures that hold 2 x 2 floats");
  add<StoreOneField>(cases, "store_value", "every second float");
  add<StoreHalvesOfWords>(cases, "store_shorts", "one short per lane");
  add<StoreBytes>(cases, "store_bytes", "every fifth byte");
  add<CopyFlagged>(cases, "store_flagged", "a float, a byte and an int of a structure");
  add<StoreReturned>(cases, "store_returned", "a structure that a function returns");
  add<StoreReturnedFloat4>(cases, "store_returned_float4", "a `float4` that a function returns");
}

}  // namespace

std::vector<Case> structure_cases() {
  std::vector<Case> cases;
  add_loads(cases);
  add_vectors(cases);
  add_stores(cases);
  return cases;
}
