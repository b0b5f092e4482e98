#include "harness/embedding_program.h"
#include "interpolated/interpolated.h"

namespace {

bool needs_lists_alone() { return false; }
bool compares_with_both_orders() { return false; }

constexpr Descent kDescent{embed_interpolated,
                           interpolated_workspace_bytes,
                           needs_lists_alone,
                           compares_with_both_orders,
                           kInterpolationSlack,
                           /*searches_on_device=*/true};

}  // namespace

int main(int argc, char** argv) { return embedding_main<kDescent>(argc, argv); }
