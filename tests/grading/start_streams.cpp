// Starts std::cout and its like, for answers that use them: of an answer nothing runs before main().
#include <iostream>
