#include "tests/mistakes/choose_mistake.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

int choose_mistake(const std::vector<std::string>& names) {
  const char* const wanted = std::getenv("WORKBOOK_MISTAKE");
  const auto found = std::find(names.begin(), names.end(), wanted ? wanted : "");
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::fprintf(stderr, "WORKBOOK_MISTAKE must be one of these names, not '%s':\n",
               wanted ? wanted : "");
  for (const std::string& name : names) std::fprintf(stderr, "  %s\n", name.c_str());
  std::exit(2);
}
