// The implementation of <curand.h>.

#include "libraries/sobol.h"
#include "runtime/live_handles.h"
#include "simulator/library_work.h"

#include "simulator/random_numbers.h"
#include "simulator/say_once.h"

#include <curand.h>

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  cudaStream_t stream = nullptr;
  // In elements of the output; for Sobol's sequence, in elements of each dimension.
  unsigned long long seed = 0, position = 0;
  unsigned dimensions = 1;  // only of Sobol's sequence
};

namespace cuda_simulator {
namespace {

using Generators = LiveHandles<curandGenerator_st>;

// NVIDIA's order of Philox: four elements of each of 65536 subsequences, and then the next four.
struct Place {
  explicit Place(std::uint64_t element)
      : subsequence(element / 4 % 65536), round(element / 4 / 65536), rest(element % 4) {}
  std::uint64_t subsequence, round;
  unsigned rest;
};

unsigned word_of(const uint4& words, unsigned number) {
  const unsigned all[] = {words.x, words.y, words.z, words.w};
  return all[number];
}

unsigned word(std::uint64_t seed, std::uint64_t element) {
  const Place place(element);
  return word_of(random_words(seed, place.subsequence, place.round), place.rest);
}
// A double needs two words, so four doubles are two groups of words.
uint4 words_of_double(std::uint64_t seed, std::uint64_t element) {
  const Place place(element);
  return random_words(seed, place.subsequence, 2 * place.round + place.rest / 2);
}

float normal(std::uint64_t seed, std::uint64_t element) {
  const Place place(element);
  const uint4 words = random_words(seed, place.subsequence, place.round);
  const unsigned first = place.rest / 2 * 2;
  const float2 pair = normal_pair(word_of(words, first), word_of(words, first + 1));
  return element % 2 == 0 ? pair.x : pair.y;
}
double normal_double(std::uint64_t seed, std::uint64_t element) {
  const double2 pair = normal_pair_double(words_of_double(seed, element));
  return element % 2 == 0 ? pair.x : pair.y;
}
double uniform(std::uint64_t seed, std::uint64_t element) {
  const uint4 words = words_of_double(seed, element);
  const unsigned first = element % 2 == 0 ? 0 : 2;
  return uniform_double(word_of(words, first), word_of(words, first + 1));
}

bool is_sobol(curandGenerator_t generator) { return generator->type > CURAND_RNG_QUASI_DEFAULT; }

// Writes the output now, or when the generator's stream reaches the call.
template <typename T>
curandStatus_t add(const LibraryCall& call, curandGenerator_t generator, T* output, std::size_t n,
                   const std::function<void()>& compute) {
  if (generator->on_host) {
    compute();
    return CURAND_STATUS_SUCCESS;
  }
  if (n == 0) return CURAND_STATUS_SUCCESS;
  const auto compute_and_say = [=] {
    compute();
    say_computed(call, "cuRAND");
  };
  const cudaError_t error = add_library_work(
      generator->stream, {call, {}, {{"output", output, n * sizeof(T)}}, compute_and_say});
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// make(word): the element of the output.
template <typename Word, typename T, typename Make>
curandStatus_t generate_sobol(const LibraryCall& call, curandGenerator_t generator, T* output,
                              std::size_t n, Make make) {
  const std::size_t length = n / generator->dimensions;
  if (n % generator->dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  const auto* const vectors = direction_vectors<Word>();
  const auto first = static_cast<Word>(generator->position);
  generator->position += length;
  return add(call, generator, output, n, [=] {
    for (std::size_t i = 0; i < n; ++i)
      output[i] = make(sobol<Word>(vectors[i / length], static_cast<Word>(first + i % length)));
  });
}

// make(seed, element): the element of the generator's sequence. of_word(word): the same for Sobol's
// sequence.
template <typename T, typename Make, typename OfWord>
curandStatus_t generate(const LibraryCall& call, curandGenerator_t generator, T* output,
                        std::size_t n, bool in_pairs, Make make, OfWord of_word) {
  if (!Generators::get().contains(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->type == CURAND_RNG_QUASI_SOBOL64)
    return generate_sobol<unsigned long long>(call, generator, output, n, of_word);
  if (is_sobol(generator)) return generate_sobol<unsigned>(call, generator, output, n, of_word);
  if (in_pairs && n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  const unsigned long long seed = generator->seed, first = generator->position;
  generator->position += n;
  if (generator->type != CURAND_RNG_PSEUDO_PHILOX4_32_10) say_that_random_numbers_differ();
  return add(call, generator, output, n, [=] {
    for (std::size_t i = 0; i < n; ++i) output[i] = make(seed, first + i);
  });
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      *generator = Generators::get().add(new curandGenerator_st{type, on_host});
      return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_QUASI_DEFAULT:
      return create(generator, CURAND_RNG_QUASI_SOBOL32, on_host);
  }
  return CURAND_STATUS_TYPE_ERROR;
}

void say_that_dimensions_are_few(const char* function) {
  say_once(std::string(function) + ": the simulator has " + std::to_string(kSobolDimensions) +
               " of the 20,000 dimensions of Sobol's sequence.",
           "dimensions");
}

template <typename Vectors>
curandStatus_t get_vectors(const char* function, Vectors** result, Vectors* vectors, bool has_set) {
  if (!has_set) return CURAND_STATUS_OUT_OF_RANGE;
  say_that_dimensions_are_few(function);
  *result = vectors;
  return CURAND_STATUS_SUCCESS;
}

template <typename Action>
curandStatus_t with_generator(curandGenerator_t generator, Action action) {
  if (!Generators::get().contains(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  action();
  return CURAND_STATUS_SUCCESS;
}

}  // namespace
}  // namespace cuda_simulator

using cuda_simulator::direction_vectors;
using cuda_simulator::generate;
using cuda_simulator::Generators;
using cuda_simulator::get_vectors;
using cuda_simulator::is_sobol;
using cuda_simulator::with_generator;

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return cuda_simulator::create(generator, type, /*on_host=*/false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return cuda_simulator::create(generator, type, /*on_host=*/true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return Generators::get().remove(generator) ? CURAND_STATUS_SUCCESS
                                             : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return with_generator(generator, [&] { generator->stream = stream; });
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  const auto status = with_generator(generator, [&] { generator->seed = seed; });
  return status == CURAND_STATUS_SUCCESS && is_sobol(generator) ? CURAND_STATUS_TYPE_ERROR : status;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (!Generators::get().contains(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  const bool is_quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
  const bool is_pseudo =
      order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
  return (is_sobol(generator) ? is_quasi : is_pseudo) ? CURAND_STATUS_SUCCESS
                                                      : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned dimensions) {
  if (!Generators::get().contains(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_sobol(generator)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions > cuda_simulator::kSobolDimensions)
    cuda_simulator::say_that_dimensions_are_few("curandSetQuasiRandomGeneratorDimensions");
  if (dimensions == 0 || dimensions > cuda_simulator::kSobolDimensions)
    return CURAND_STATUS_OUT_OF_RANGE;
  generator->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors,
                                           curandDirectionVectorSet_t set) {
  return get_vectors("curandGetDirectionVectors32", vectors, direction_vectors<unsigned>(),
                     set == CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors,
                                           curandDirectionVectorSet_t set) {
  return get_vectors("curandGetDirectionVectors64", vectors,
                     direction_vectors<unsigned long long>(),
                     set == CURAND_DIRECTION_VECTORS_64_JOEKUO6);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return with_generator(generator, [&] { generator->position = offset; });
}
#define CALL(function) \
  { #function, __builtin_return_address(0) }
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* output, std::size_t n) {
  const bool is_known = Generators::get().contains(generator);
  if (is_known && generator->type == CURAND_RNG_QUASI_SOBOL64) return CURAND_STATUS_TYPE_ERROR;
  return generate(CALL(curandGenerate), generator, output, n, false, cuda_simulator::word,
                  [](auto word) { return static_cast<unsigned>(word); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, std::size_t n) {
  return generate(
      CALL(curandGenerateUniform), generator, output, n, false,
      [](std::uint64_t seed, std::uint64_t i) {
        return cuda_simulator::uniform_float(cuda_simulator::word(seed, i));
      },
      [](auto word) { return cuda_simulator::uniform_float(cuda_simulator::upper_half(word)); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                           std::size_t n) {
  return generate(CALL(curandGenerateUniformDouble), generator, output, n, false,
                  cuda_simulator::uniform,
                  [](auto word) { return cuda_simulator::uniform_double(word); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, std::size_t n,
                                    float mean, float stddev) {
  return generate(
      CALL(curandGenerateNormal), generator, output, n, true,
      [=](std::uint64_t seed, std::uint64_t i) {
        return mean + stddev * cuda_simulator::normal(seed, i);
      },
      [=](auto word) { return mean + stddev * cuda_simulator::sobol_normal(word); });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output,
                                          std::size_t n, double mean, double stddev) {
  return generate(
      CALL(curandGenerateNormalDouble), generator, output, n, true,
      [=](std::uint64_t seed, std::uint64_t i) {
        return mean + stddev * cuda_simulator::normal_double(seed, i);
      },
      [=](auto word) { return mean + stddev * cuda_simulator::sobol_normal_double(word); });
}
#undef CALL
