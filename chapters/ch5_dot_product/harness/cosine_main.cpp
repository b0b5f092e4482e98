#include "cosine.h"
#include "harness/cosine_reference.h"
#include "harness/problem.h"

namespace {

struct Cosine final : DotProblem {
  Cosine(std::size_t size, std::uint64_t seed)
      : DotProblem({cosine_similarity, expected_cosine}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Cosine>(argc, argv); }
