#include "marked_cases.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace {

std::vector<std::string> split(const std::string& text, const std::string& separators) {
  const std::regex separator(separators);
  return {std::sregex_token_iterator(text.begin(), text.end(), separator, -1), {}};
}

std::array<unsigned, 3> index_from(const std::string& text) {
  std::array<unsigned, 3> index = {};
  std::sscanf(text.c_str(), "%u,%u,%u", &index[0], &index[1], &index[2]);
  return index;
}

// `words` is the text after "finds". Returns a mark for each place of each case.
std::vector<Mark> marks_from(const std::string& words, const std::string& kernel, int line) {
  static const std::regex form(
      R"((?: in (right )?([\w*]+(?:, [\w*]+)*))?: (\w+)(?: ([\w, ]*?))?(?:, (\d+) times?)?)");
  static const std::regex place(R"((?:(\w+)(?: by ([\d,]+)(?: of block ([\d,]+))?)?)?)");
  std::smatch parts, place_parts;
  if (!std::regex_match(words, parts, form)) throw std::invalid_argument("is not a mark");
  std::vector<Mark> marks;
  for (const std::string& cases : split(parts[2].matched ? parts[2].str() : kernel, ", ")) {
    for (const std::string& at : split(parts[4], " and ")) {
      if (!std::regex_match(at, place_parts, place)) throw std::invalid_argument("has no place");
      Mark mark{cases,
                parts[1].matched,
                line,
                parts[3],
                parts[5].matched ? std::stoull(parts[5]) : 0,
                place_parts[1],
                std::nullopt,
                index_from(place_parts[3])};
      if (place_parts[2].matched) mark.thread = index_from(place_parts[2]);
      marks.push_back(mark);
    }
  }
  return marks;
}

// The marks, from top to bottom. Throws std::runtime_error for a mark that cannot be read.
std::vector<Mark> read_marks(const std::string& path) {
  static const std::regex kernel_name(R"(__global__ .*\bvoid (\w+)\()");
  static const std::regex mark_in_line(R"(^(.*)// finds\b(.*)$)"), comment(R"(^\s*//)");
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<Mark> marks;
  std::vector<std::string> pending;  // marks above the line
  std::string text, kernel;
  std::smatch parts;
  for (int line = 1; std::getline(file, text); ++line) {
    if (std::regex_search(text, parts, kernel_name)) kernel = parts[1];
    if (std::regex_match(text, parts, mark_in_line)) pending.push_back(parts[2]);
    if (std::regex_search(text, comment)) continue;
    for (const std::string& words : pending) {
      try {
        for (const Mark& mark : marks_from(words, kernel, line)) marks.push_back(mark);
      } catch (const std::invalid_argument& error) {
        throw std::runtime_error(path + ":" + std::to_string(line) + ": '// finds" + words + "' " +
                                 error.what());
      }
    }
    pending.clear();
  }
  if (!pending.empty()) throw std::runtime_error(path + ": no code follows the last mark");
  return marks;
}

}  // namespace

std::vector<Mark> marks_of(const MarkedFile& file, const MarkedCase& one, bool right) {
  std::vector<Mark> marks;
  for (const Mark& mark : read_marks(file.path)) {
    const auto is_of = [&](const MarkedCase& other) {
      return fnmatch(mark.cases.c_str(), other.name.c_str(), 0) == 0;
    };
    if (mark.in_right == right && is_of(one)) marks.push_back(mark);
    if (std::none_of(file.cases.begin(), file.cases.end(), is_of)) {
      throw std::runtime_error(file.path + ":" + std::to_string(mark.line) +
                               ": there is no case '" + mark.cases + "'");
    }
  }
  return marks;
}

DeviceBuffer<int> numbers(int threads) {
  std::vector<int> h_numbers(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) h_numbers[static_cast<std::size_t>(i)] = 3 * i % 7;
  return DeviceBuffer<int>(h_numbers);
}
