#include "harness/items_option.h"

#include <charconv>
#include <climits>

namespace {

constexpr const char* kExample = "with commas between, such as --items 2,6,8,19";

// The text as an integer; nothing unless it is one from 1 to `most`.
std::optional<int> whole_number(const std::string& text, int most) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value < 1 || value > most) return std::nullopt;
  return value;
}

std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<int> own_items(const std::string& text) {
  std::vector<std::string> parts = between_commas(text);
  if (parts.size() == 2 && parts[1].empty() && !parts[0].empty()) parts.pop_back();  // one item: 3,
  if (parts.size() > kMaxOwnItems) {
    throw UsageError("--items takes at most " + std::to_string(kMaxOwnItems) +
                     " items of your own, and these are " + std::to_string(parts.size()) +
                     ". For random ones write how many: --items " + std::to_string(parts.size()) +
                     ".");
  }
  std::vector<int> items;
  for (const std::string& part : parts) {
    const std::optional<int> item = whole_number(part, INT_MAX);
    if (!item) {
      throw UsageError("--items: item " + std::to_string(items.size() + 1) + " is '" + part +
                       "'. Write integers from 1 to " + std::to_string(INT_MAX) + " " + kExample +
                       ".");
    }
    items.push_back(*item);
  }
  return items;
}

}  // namespace

AskedItems items_of(const std::string& text) {
  if (text.find(',') != std::string::npos) {
    std::vector<int> own = own_items(text);
    const std::size_t count = own.size();
    return {count, std::move(own)};
  }
  const std::optional<int> count = whole_number(text, kMaxItems);
  if (!count) {
    throw UsageError("--items takes an integer from 1 to " + std::to_string(kMaxItems) + ", not '" +
                     text + "'. For your own items, write them " + kExample +
                     "; a single one is --items 3,");
  }
  return {static_cast<std::size_t>(*count), {}};
}

std::optional<AskedItems> take_items(Options& options) {
  const auto text =
      options.text("--items", std::string("how many random items, or items ") + kExample);
  if (!text) return std::nullopt;
  AskedItems asked = items_of(*text);
  if (asked.own.empty()) return asked;
  if (!options.has("--sum")) {
    throw UsageError("--items " + *text + " needs --sum: which sum do you ask for?");
  }
  if (options.has("--csv")) {
    throw UsageError("--items " + *text +
                     " and --csv cannot be combined: a table of measurements shows how many items "
                     "there were, not which. Leave out --csv, or write how many random items.");
  }
  return asked;
}
