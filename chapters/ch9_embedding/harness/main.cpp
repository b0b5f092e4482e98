#include "embedding.h"
#include "harness/embedding_program.h"

namespace {
constexpr Descent kDescent{embed,        embed_workspace_bytes,
                           needs_matrix, computes_pairs_once,
                           /*slack=*/0,  /*searches_on_device=*/false};
}

int main(int argc, char** argv) { return embedding_main<kDescent>(argc, argv); }
