// Initialises std::cout and the other streams, because no code of an answer runs before main().
#include <iostream>
