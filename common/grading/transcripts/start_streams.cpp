// Starts std::cout and its like for answers that use them; nothing of theirs runs before main().
#include <iostream>
