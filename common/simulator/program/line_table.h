#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

struct SourcePosition {
  std::string file;  // as passed to the compiler; empty when unknown
  int line = 0, column = 0;

  std::string text() const;  // "02_localmem.cu:31:9", without the directories
  bool operator==(const SourcePosition& other) const {
    return line == other.line && column == other.column && file == other.file;
  }
  bool operator<(const SourcePosition& other) const;
};

// Maps addresses of the program to source lines, from the DWARF 4 of traced code. (addr2line gives
// no columns, but two accesses on one line differ only in their columns.)
class LineTable {
 public:
  static const LineTable& get();

  // The position of the code at `address`; for a call, pass its return address minus one.
  SourcePosition find(std::uintptr_t address) const;
  // The first address after `address` whose code has a different position.
  std::uintptr_t next_row(std::uintptr_t address) const;

 private:
  friend class LineProgram;
  struct Row {
    std::uintptr_t address;
    int file, line, column;  // file is an index into files_, -1 ends a sequence
  };

  LineTable();
  std::vector<Row>::const_iterator behind(std::uintptr_t address) const;

  std::vector<std::string> files_;
  std::vector<Row> rows_;  // sorted by address
};

}  // namespace cuda_simulator
