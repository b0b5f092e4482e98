#include "program/line_table.h"

#include "program/executable.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

namespace cuda_simulator {
namespace {

class Reader {
 public:
  Reader(const unsigned char* at, const unsigned char* end) : at_(at), end_(end) {}

  template <typename T>
  T read() {
    T value = 0;
    if (static_cast<std::size_t>(end_ - at_) < sizeof value) {
      at_ = end_;
      return 0;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t read_unsigned_leb128() {
    std::uint64_t value = 0;
    for (int shift = 0; at_ < end_; shift += 7) {
      const unsigned char byte = *at_++;
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }

  std::int64_t read_signed_leb128() {
    std::int64_t value = 0;
    for (int shift = 0; at_ < end_;) {
      const unsigned char byte = *at_++;
      if (shift < 64) value |= static_cast<std::int64_t>(std::uint64_t{byte & 0x7fu} << shift);
      shift += 7;
      if (!(byte & 0x80)) {
        if ((byte & 0x40) && shift < 64)
          value |= static_cast<std::int64_t>(~std::uint64_t{0} << shift);
        break;
      }
    }
    return value;
  }

  std::string read_string() {
    const unsigned char* const terminator = std::find(at_, end_, 0);
    const std::string text(at_, terminator);
    at_ = terminator < end_ ? terminator + 1 : end_;
    return text;
  }

  void skip(std::size_t bytes) {
    at_ += std::min<std::size_t>(bytes, static_cast<std::size_t>(end_ - at_));
  }
  const unsigned char* at() const { return at_; }
  bool done() const { return at_ >= end_; }

 private:
  const unsigned char *at_, *end_;
};

}  // namespace

// One compilation unit's line number program: DWARF 4, section 6.2.
class LineProgram {
 public:
  LineProgram(Reader reader, LineTable& table) : reader_(reader), table_(table) {}

  void run(bool wide_offsets) {
    const int version = reader_.read<std::uint16_t>();
    if (version < 2 || version > 4) return;  // not compiled for tracing
    const std::uint64_t header_bytes =
        wide_offsets ? reader_.read<std::uint64_t>() : reader_.read<std::uint32_t>();
    const unsigned char* const program = reader_.at() + header_bytes;
    minimum_instruction_bytes_ = reader_.read<std::uint8_t>();
    if (version >= 4) reader_.read<std::uint8_t>();  // operations per instruction: 1 unless VLIW
    reader_.read<std::uint8_t>();                    // default_is_stmt
    line_base_ = reader_.read<std::int8_t>();
    line_range_ = reader_.read<std::uint8_t>();
    opcode_base_ = reader_.read<std::uint8_t>();
    for (int opcode = 1; opcode < opcode_base_; ++opcode) {
      operand_counts_.push_back(reader_.read<std::uint8_t>());
    }
    read_files();
    if (line_range_ == 0 || program < reader_.at()) return;
    reader_.skip(static_cast<std::size_t>(program - reader_.at()));
    while (!reader_.done()) step();
  }

 private:
  enum StandardOpcode {
    kExtended = 0,
    kCopy = 1,
    kAdvancePc = 2,
    kAdvanceLine = 3,
    kSetFile = 4,
    kSetColumn = 5,
    kConstAddPc = 8,
    kFixedAdvancePc = 9,
  };
  enum ExtendedOpcode { kEndSequence = 1, kSetAddress = 2 };

  void read_files() {
    std::vector<std::string> directories{""};
    for (std::string name; !(name = reader_.read_string()).empty();) directories.push_back(name);
    first_file_ = static_cast<int>(table_.files_.size()) - 1;  // files are numbered from 1
    for (std::string name; !(name = reader_.read_string()).empty();) {
      const std::uint64_t directory = reader_.read_unsigned_leb128();
      reader_.read_unsigned_leb128();  // time
      reader_.read_unsigned_leb128();  // length
      const bool relative = name[0] != '/' && directory > 0 && directory < directories.size();
      table_.files_.push_back(relative ? directories[directory] + "/" + name : name);
    }
  }

  void step() {
    const int opcode = reader_.read<std::uint8_t>();
    if (opcode >= opcode_base_) {
      advance(static_cast<std::uint64_t>((opcode - opcode_base_) / line_range_));
      line_ += line_base_ + (opcode - opcode_base_) % line_range_;
      add_row(first_file_ + file_);
      return;
    }
    switch (opcode) {
      case kExtended:
        step_extended();
        break;
      case kCopy:
        add_row(first_file_ + file_);
        break;
      case kAdvancePc:
        advance(reader_.read_unsigned_leb128());
        break;
      case kAdvanceLine:
        line_ += static_cast<int>(reader_.read_signed_leb128());
        break;
      case kSetFile:
        file_ = static_cast<int>(reader_.read_unsigned_leb128());
        break;
      case kSetColumn:
        column_ = static_cast<int>(reader_.read_unsigned_leb128());
        break;
      case kConstAddPc:
        advance(static_cast<std::uint64_t>((255 - opcode_base_) / line_range_));
        break;
      case kFixedAdvancePc:
        address_ += reader_.read<std::uint16_t>();
        break;
      default:
        for (int i = 0; i < operand_counts_[opcode - 1]; ++i) reader_.read_unsigned_leb128();
    }
  }

  void step_extended() {
    const std::uint64_t bytes = reader_.read_unsigned_leb128();
    if (bytes == 0) return;
    const int opcode = reader_.read<std::uint8_t>();
    if (opcode == kSetAddress) {
      address_ = reader_.read<std::uint64_t>();
      return;
    }
    if (opcode == kEndSequence) {
      add_row(-1);
      address_ = 0;
      file_ = line_ = 1;
      column_ = 0;
    }
    reader_.skip(bytes - 1);
  }

  void advance(std::uint64_t operations) { address_ += operations * minimum_instruction_bytes_; }
  void add_row(int file) { table_.rows_.push_back({address_, file, line_, column_}); }

  Reader reader_;
  LineTable& table_;
  unsigned minimum_instruction_bytes_ = 1;
  int line_base_ = 0, line_range_ = 0, opcode_base_ = 0, first_file_ = 0;
  std::vector<int> operand_counts_;
  std::uintptr_t address_ = 0;
  int file_ = 1, line_ = 1, column_ = 0;
};

std::string SourcePosition::text() const {
  if (file.empty()) return "an unknown line";
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line) + ":" +
         std::to_string(column);
}

bool SourcePosition::operator<(const SourcePosition& other) const {
  return std::tie(file, line, column) < std::tie(other.file, other.line, other.column);
}

const LineTable& LineTable::get() {
  static const LineTable& table = *new LineTable;  // never destroyed: the report at exit reads it
  return table;
}

LineTable::LineTable() {
  const Executable::Section section = Executable::get().section(".debug_line");
  const unsigned char* const end = section.begin + section.bytes;
  for (Reader units(section.begin, end); !units.done();) {
    std::uint64_t bytes = units.read<std::uint32_t>();
    const bool wide = bytes == 0xffffffffu;
    if (wide) bytes = units.read<std::uint64_t>();
    const unsigned char* const begin = units.at();
    units.skip(bytes);
    LineProgram(Reader(begin, units.at()), *this).run(wide);
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.address < b.address; });
}

std::vector<LineTable::Row>::const_iterator LineTable::behind(std::uintptr_t address) const {
  return std::upper_bound(rows_.begin(), rows_.end(), address,
                          [](std::uintptr_t a, const Row& row) { return a < row.address; });
}

std::uintptr_t LineTable::next_row(std::uintptr_t address) const {
  const auto row = behind(address);
  return row == rows_.end() ? std::numeric_limits<std::uintptr_t>::max() : row->address;
}

SourcePosition LineTable::find(std::uintptr_t address) const {
  auto after = behind(address);
  // If several rows have the same address, the last one counts; an end of sequence counts only if
  // it is alone.
  while (after != rows_.begin()) {
    const Row& row = *--after;
    if (row.file >= 0 && row.file < static_cast<int>(files_.size()))
      return {files_[row.file], row.line, row.column};
    if (after == rows_.begin() || (after - 1)->address != row.address) break;
  }
  return {};
}

}  // namespace cuda_simulator
