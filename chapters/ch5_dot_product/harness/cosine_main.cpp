#include "cosine.h"
#include "harness/cosine_reference.h"
#include "harness/program.h"

int main(int argc, char** argv) {
  return run_program({cosine_similarity, expected_cosine}, argc, argv);
}
