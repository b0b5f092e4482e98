#include "cosine.h"
#include "cosine_reference.h"
#include "program.h"

int main(int argc, char** argv) {
  return run_program({cosine_similarity, expected_cosine}, argc, argv);
}
