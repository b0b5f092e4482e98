// What std::exit() is in a graded answer: it ends the program, and never with success.
#include <cstdlib>

extern "C" [[noreturn]] void workbook_exit_early(int status) {
  std::exit(status == 0 ? EXIT_FAILURE : status);
}
