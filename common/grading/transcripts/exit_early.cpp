// Replaces std::exit() in a graded answer: ends the program, but never with success.
#include <cstdlib>

extern "C" [[noreturn]] void workbook_exit_early(int status) {
  std::exit(status == 0 ? EXIT_FAILURE : status);
}
