#include "harness/csv.h"

#include "common/harness/format.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf", kBlanks = " \t";
constexpr std::size_t kLongestField = 1 << 16;    // bytes; names in a header are shorter too
constexpr std::size_t kMaxLines = 2 * kMaxCount;  // some can be empty, at the end

// A part of a line, and the column of its first byte.
struct Field {
  std::string_view text;
  std::size_t column;
};

// The same without the blanks around it.
Field trimmed(const Field& field) {
  const std::size_t first = field.text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {{}, field.column};
  return {field.text.substr(first, field.text.find_last_not_of(kBlanks) - first + 1),
          field.column + first};
}

// The fields between the commas of a line; an empty line has one empty field.
std::vector<Field> split(std::string_view line, std::size_t first_column) {
  std::vector<Field> fields;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = std::min(line.find(',', start), line.size());
    fields.push_back(trimmed({line.substr(start, comma - start), first_column + start}));
    if (comma == line.size()) return fields;
    start = comma + 1;
  }
}

// The text in quotation marks, without characters that a terminal could execute, and not too long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 30;
  std::string shown;
  for (const char c : text.substr(0, kLongest)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

// The field as from_chars() accepts it: without a '+', unless a '-' is after it.
std::string_view without_plus(std::string_view field) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  return field;
}

// The number in a field, DBL_MAX if it is out of a double's range; nothing if it is not a number.
// NaN and infinity are numbers.
std::optional<double> number_in(std::string_view field) {
  field = without_plus(field);
  double value = DBL_MAX;
  const char* const end = field.data() + field.size();
  const auto read = std::from_chars(field.data(), end, value);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
  return value;
}

bool is_name(const Field& field) {
  if (field.text.empty() || number_in(field.text)) return false;
  const auto first = static_cast<unsigned char>(field.text.front());
  return first == '_' || first == '"' || first == '\'' || first >= 0x80 || std::isalpha(first);
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  HostPoints read() {
    std::string line;
    while (next_line(line)) read_line(line);
    if (in_.bad()) throw UsageError(name_ + " cannot be read.");
    if (points_.count == 0) {
      throw error(1, "there is no vector in it. A line of numbers is a vector.");
    }
    return std::move(points_);
  }

 private:
  // Reads a line without its end; returns false after the last line. An endless line, as of
  // /dev/zero, is refused as soon as it is too long for a line of vectors, not when memory is full.
  bool next_line(std::string& line) {
    line.clear();
    std::size_t commas = 0, after_comma = 0;
    for (char c = 0; in_.get(c);) {
      if (line.empty()) ++line_number_;
      if (c == '\n') {
        if (line_number_ <= kMaxLines) return true;
        throw error(1, format("one line too many; %d vectors at most are possible.", kMaxCount));
      }
      line += c;
      if (c == ',') {
        ++commas;
        after_comma = line.size();
      }
      if (commas >= static_cast<std::size_t>(kMaxDimensions)) {
        throw error(1, format("more than %d fields; no more are possible.", kMaxDimensions));
      }
      if (line.size() - after_comma > kLongestField) {
        require_text(line, 1);
        throw error(after_comma + 1,
                    format("a field of more than %zu bytes is not a number.", kLongestField));
      }
    }
    return !line.empty();
  }

  void read_line(std::string_view line) {
    std::size_t first_column = 1;
    if (line_number_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      line.remove_prefix(kByteOrderMark.size());
      first_column += kByteOrderMark.size();
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    require_text(line, first_column);
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) {
      if (first_empty_line_ == 0) first_empty_line_ = line_number_;
      return;
    }
    if (first_empty_line_ != 0) {
      line_number_ = first_empty_line_;
      throw error(1, "the line is empty, and there are others below it. Remove it.");
    }
    const std::vector<Field> fields = split(line, first_column);
    require_same_length(fields, first_column + line.size());
    const bool is_header = line_number_ == 1 && std::all_of(fields.begin(), fields.end(), is_name);
    if (!is_header) add_vector(fields);
  }

  void require_text(std::string_view line, std::size_t first_column) const {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto byte = static_cast<unsigned char>(line[i]);
      if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
        throw error(first_column + i, format("the byte 0x%02x is not text. Is this a CSV file?",
                                             static_cast<unsigned>(byte)));
      }
    }
  }

  // Compares the fields of the first line and of this one; the first difference is at `end` or
  // before.
  void require_same_length(const std::vector<Field>& fields, std::size_t end) {
    if (line_number_ == 1) {
      if (fields.size() > static_cast<std::size_t>(kMaxDimensions)) {
        throw error(1,
                    format("%zu fields; %d at most are possible.", fields.size(), kMaxDimensions));
      }
      points_.dimensions = static_cast<int>(fields.size());
    }
    const auto expected = static_cast<std::size_t>(points_.dimensions);
    if (fields.size() == expected) return;
    throw error(fields.size() > expected ? fields[expected].column : end,
                format("%zu fields, but line 1 has %zu. All lines need the same.", fields.size(),
                       expected));
  }

  void add_vector(const std::vector<Field>& fields) {
    if (points_.count == kMaxCount) {
      throw error(1, format("one vector too many; %d at most are possible.", kMaxCount));
    }
    for (const Field& field : fields) points_.data.push_back(number(field));
    ++points_.count;
  }

  float number(const Field& field) const {
    if (field.text.empty()) {
      throw error(field.column, "the field is empty. Each component needs a number.");
    }
    // A double distinguishes a number too large for a float from one that is nearly 0.
    const std::optional<double> wide = number_in(field.text);
    if (!wide) {
      throw error(field.column, quoted(field.text) + " is not a number such as -0.25 or 1.5e-3.");
    }
    if (!std::isfinite(*wide)) {
      throw error(field.column,
                  quoted(field.text) + " has no distance. Remove the vector or fix it.");
    }
    if (std::abs(*wide) > static_cast<double>(FLT_MAX)) {
      throw error(field.column, quoted(field.text) + " is out of a float's range. Scale the data.");
    }
    const std::string_view text = without_plus(field.text);
    auto value = static_cast<float>(*wide);  // kept if it is below the smallest float
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  UsageError error(std::size_t column, const std::string& message) const {
    return UsageError(format("%s:%zu:%zu: %s", name_.c_str(),
                             std::max<std::size_t>(line_number_, 1), column, message.c_str()));
  }

  std::istream& in_;
  const std::string& name_;
  HostPoints points_{{}, 0, 0, Layout::kRowMajor};
  std::size_t line_number_ = 0, first_empty_line_ = 0;
};

}  // namespace

HostPoints read_csv(std::istream& in, const std::string& name) { return Reader(in, name).read(); }

HostPoints read_csv_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(path + " cannot be opened: " + std::strerror(errno) + ".");
  return read_csv(in, path);
}
