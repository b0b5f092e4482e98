#include "baselines/copy.h"
#include "harness/copy_reference.h"
#include "harness/program.h"

int main(int argc, char** argv) { return run_program({copy, copy_reference}, argc, argv); }
