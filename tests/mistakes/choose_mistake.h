#pragma once

#include <string>
#include <vector>

// The place in `names` of the one that the environment variable WORKBOOK_MISTAKE has. If it has
// none of them, the program ends, with exit code 2 and a message.
int choose_mistake(const std::vector<std::string>& names);
