#pragma once

#include <string>
#include <vector>

// The index in `names` of the name in the environment variable WORKBOOK_MISTAKE. If `names` does
// not have it, ends the program with exit code 2 and a message.
int choose_mistake(const std::vector<std::string>& names);
