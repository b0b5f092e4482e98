#pragma once

#include "common/harness/options.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// What --items says: how many random items, or which items.
struct AskedItems {
  std::size_t count;
  std::vector<int> own;  // `count` of them, from 1 to 2^31 - 1; empty for random ones
};

constexpr std::size_t kMaxItems = 1'000'000;  // random ones
constexpr std::size_t kMaxOwnItems = 1000;    // a command line has no room for many more

// Of "10" ten random items, of "2,6,8,19" these four. Throws UsageError, which names the value and
// what to write instead, for anything else.
AskedItems items_of(const std::string& text);

// What the option says, if it stands there. Throws UsageError as above, and where another option
// contradicts items of one's own: without --sum nothing is asked of them, and a row of --csv would
// not say which ones they are.
std::optional<AskedItems> take_items(Options& options);
