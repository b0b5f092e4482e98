#pragma once

#include "common/harness/options.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// The value of --items: how many random items, or which items.
struct AskedItems {
  std::size_t count;
  std::vector<int> own;  // `count` of them, from 1 to 2^31 - 1; empty for random ones
};

constexpr std::size_t kMaxItems = 1'000'000;  // random ones
constexpr std::size_t kMaxOwnItems = 1000;    // a command line has room for few more

// "10" means ten random items, "2,6,8,19" these four. Throws UsageError for any other text, with
// the value and with what to write instead.
AskedItems items_of(const std::string& text);

// The value of the option, if it is given. Throws UsageError as above, and if another option does
// not fit own items: without --sum there is no question about them, and a row of --csv would not
// show which items they are.
std::optional<AskedItems> take_items(Options& options);
