#include "copy.h"
#include "copy_reference.h"
#include "program.h"

int main(int argc, char** argv) { return run_program({copy, copy_reference}, argc, argv); }
