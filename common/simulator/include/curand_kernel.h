#pragma once

// cuRAND's functions for kernels: code of the kernel, with counts. The numbers of Philox and Sobol
// are NVIDIA's. The other states use Philox too, so their numbers differ from NVIDIA's.

#include "simulator/random_numbers.h"

#include <cuda_runtime.h>

#include <curand.h>

namespace cuda_simulator {

// As large as the state of XORWOW, without padding: a program may copy a whole state.
struct RandomState {
  unsigned long long seed, subsequence, position;
  double next_normal_double;
  float next_normal;
  int has_normal, has_normal_double, unused;
};

template <typename Word>
struct SobolState {
  Word i, x, c;  // c: of scrambled sequences
  Word direction_vectors[sizeof(Word) * 8];
};

}  // namespace cuda_simulator

struct curandStateXORWOW : cuda_simulator::RandomState {};
struct alignas(16) curandStatePhilox4_32_10 : cuda_simulator::RandomState {
  uint4 padding;  // NVIDIA's state has 64 bytes
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateSobol32 : cuda_simulator::SobolState<unsigned> {};
struct curandStateSobol64 : cuda_simulator::SobolState<unsigned long long> {};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;

namespace cuda_simulator {
__device__ __forceinline__ void start(unsigned long long seed, unsigned long long subsequence,
                                      unsigned long long offset, RandomState* state) {
  state->seed = seed;
  state->subsequence = subsequence;
  state->position = offset;
  state->next_normal_double = state->next_normal = 0;
  state->has_normal = state->has_normal_double = state->unused = 0;
}
}  // namespace cuda_simulator

__device__ __forceinline__ void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset,
                                            curandStatePhilox4_32_10_t* state) {
  cuda_simulator::start(seed, subsequence, offset, state);
  state->padding = uint4{0, 0, 0, 0};
}
template <typename State>
__device__ __forceinline__ void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset, State* state) {
  cuda_simulator::say_that_random_numbers_differ();
  cuda_simulator::start(seed, subsequence, offset, state);
}

__device__ __forceinline__ void skipahead(unsigned long long n,
                                          cuda_simulator::RandomState* state) {
  state->position += n;
}
__device__ __forceinline__ void skipahead_sequence(unsigned long long n,
                                                   cuda_simulator::RandomState* state) {
  state->subsequence += n;
}

__device__ __forceinline__ unsigned curand(cuda_simulator::RandomState* state) {
  const unsigned long long position = state->position++;
  const uint4 words = cuda_simulator::random_words(state->seed, state->subsequence, position / 4);
  const unsigned half = position % 2 == 0 ? words.x : words.y;
  return position % 4 < 2 ? half : position % 2 == 0 ? words.z : words.w;
}
__device__ __forceinline__ uint4 curand4(cuda_simulator::RandomState* state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return {x, y, z, w};
}

__device__ __forceinline__ float curand_uniform(cuda_simulator::RandomState* state) {
  return cuda_simulator::uniform_float(curand(state));
}
__device__ __forceinline__ float4 curand_uniform4(cuda_simulator::RandomState* state) {
  const uint4 words = curand4(state);
  return {cuda_simulator::uniform_float(words.x), cuda_simulator::uniform_float(words.y),
          cuda_simulator::uniform_float(words.z), cuda_simulator::uniform_float(words.w)};
}
__device__ __forceinline__ double curand_uniform_double(cuda_simulator::RandomState* state) {
  const unsigned x = curand(state), y = curand(state);
  return cuda_simulator::uniform_double(x, y);
}
// NVIDIA's Philox uses only 32 random bits here.
__device__ __forceinline__ double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return cuda_simulator::uniform_double(curand(state));
}
__device__ __forceinline__ float2 curand_normal2(cuda_simulator::RandomState* state) {
  const unsigned x = curand(state), y = curand(state);
  return cuda_simulator::normal_pair(x, y);
}
__device__ __forceinline__ float4 curand_normal4(cuda_simulator::RandomState* state) {
  const float2 first = curand_normal2(state), second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}
__device__ __forceinline__ double2 curand_normal2_double(cuda_simulator::RandomState* state) {
  return cuda_simulator::normal_pair_double(curand4(state));
}
// The second number of a pair is kept for the next call.
__device__ __forceinline__ float curand_normal(cuda_simulator::RandomState* state) {
  state->has_normal ^= 1;
  if (state->has_normal == 0) return state->next_normal;
  const float2 pair = curand_normal2(state);
  state->next_normal = pair.y;
  return pair.x;
}
__device__ __forceinline__ double curand_normal_double(cuda_simulator::RandomState* state) {
  state->has_normal_double ^= 1;
  if (state->has_normal_double == 0) return state->next_normal_double;
  const double2 pair = curand_normal2_double(state);
  state->next_normal_double = pair.y;
  return pair.x;
}
template <typename Count, typename Word>
__device__ __forceinline__ void skipahead(Count n, cuda_simulator::SobolState<Word>* state) {
  state->i += static_cast<Word>(n);
  state->x = state->c;
  Word gray = state->i ^ state->i >> 1;
  for (int bit = 0; gray != 0; gray >>= 1, ++bit)
    if (gray & 1) state->x ^= state->direction_vectors[bit];
}
// vectors: a curandDirectionVectors32_t or curandDirectionVectors64_t, as the state.
template <typename Count, typename Word>
__device__ __forceinline__ void curand_init(const Word* vectors, Count offset,
                                            cuda_simulator::SobolState<Word>* state) {
  state->i = state->c = 0;
  for (unsigned bit = 0; bit < sizeof(Word) * 8; ++bit)
    state->direction_vectors[bit] = vectors[bit];
  skipahead(offset, state);
}
// The next Gray code differs in the lowest bit of i that is 0.
template <typename Word>
__device__ __forceinline__ Word curand(cuda_simulator::SobolState<Word>* state) {
  const Word word = state->x;
  const unsigned bit = static_cast<unsigned>(__ffsll(static_cast<long long>(~state->i))) - 1;
  state->x ^= state->direction_vectors[bit % (sizeof(Word) * 8)];
  ++state->i;
  return word;
}
template <typename Word>
__device__ __forceinline__ float curand_uniform(cuda_simulator::SobolState<Word>* state) {
  return cuda_simulator::uniform_float(cuda_simulator::upper_half(curand(state)));
}
template <typename Word>
__device__ __forceinline__ double curand_uniform_double(cuda_simulator::SobolState<Word>* state) {
  return cuda_simulator::uniform_double(curand(state));
}
template <typename Word>
__device__ __forceinline__ float curand_normal(cuda_simulator::SobolState<Word>* state) {
  return cuda_simulator::sobol_normal(curand(state));
}
template <typename Word>
__device__ __forceinline__ double curand_normal_double(cuda_simulator::SobolState<Word>* state) {
  return cuda_simulator::sobol_normal_double(curand(state));
}
