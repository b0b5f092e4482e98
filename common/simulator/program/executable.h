#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// The name or the type as written in C++; unchanged if it is not mangled.
std::string demangled(const std::string& mangled);

// A named range of the program: a function or a variable.
struct Symbol {
  // An address, or for a __shared__ variable its offset in the thread's block.
  std::uintptr_t begin;
  std::size_t bytes;
  std::string mangled;

  std::string name() const;      // as written in C++
  std::string own_name() const;  // without its function, class or namespace
  bool is_simulators_own() const;
  bool holds(std::uintptr_t address) const { return address - begin < bytes; }
};

// The name without scope and arguments: "tiled" for "tiled<32>", "ns::tiled<kTile>" and "void
// ns::tiled<32>(float*)". If they are equal, a launch's text and a symbol name the same kernel.
std::string base_name(std::string function);

// The ELF file of the running program: its symbols and its debug sections.
class Executable {
 public:
  static const Executable& get();

  // The __shared__ variable at an offset of the thread-local block, or nullptr.
  const Symbol* shared_at(std::uintptr_t offset) const { return find(shared_, offset); }
  const std::vector<Symbol>& shared() const { return shared_; }  // sorted by offset
  const Symbol* largest_shared() const;                          // nullptr if there are none
  // The __shared__ variable that begins or ends nearest to an offset; nullptr if there are none.
  const Symbol* nearest_shared(std::uintptr_t offset) const;
  // Returns whether a guard variable of the compiler is at an offset: it records whether a
  // __shared__ variable with a constructor has been initialised, as in any C++ function. A GPU has
  // no such variable.
  bool is_guard(std::uintptr_t offset) const { return find(guards_, offset) != nullptr; }
  // The __device__ or __constant__ variable (or any other variable of the program) at an address,
  // or nullptr.
  const Symbol* variable_at(std::uintptr_t address) const { return find(variables_, address); }
  const Symbol* function_at(std::uintptr_t address) const { return find(functions_, address); }
  // Returns whether a function declares this __shared__ variable.
  static bool declares(const Symbol& function, const Symbol& variable);
  // The static shared memory that a kernel declares, in bytes, by the name in the launch: the
  // maximum of all kernels with this base name. 0 if there is none.
  std::size_t static_shared_bytes(const std::string& kernel_name) const;

  bool in_writable_data(std::uintptr_t address) const {
    return address - data_begin_ < data_bytes_;
  }
  std::uintptr_t writable_data_begin() const { return data_begin_; }
  std::size_t writable_data_bytes() const { return data_bytes_; }
  bool in_image(std::uintptr_t address) const { return address - image_begin_ < image_bytes_; }

  // The contents of a section; empty if there is none with this name.
  struct Section {
    const unsigned char* begin;
    std::size_t bytes;
  };
  Section section(const char* name) const;
  // The variables that can change and that neither the simulator nor a shared library uses.
  std::vector<Symbol> writable_variables() const;

 private:
  Executable();
  static const Symbol* find(const std::vector<Symbol>& sorted, std::uintptr_t address);

  const unsigned char* file_ = nullptr;  // mapped for the life of the program
  std::vector<Symbol> shared_, guards_, variables_, functions_;
  std::uintptr_t image_begin_ = 0, data_begin_ = 0;
  std::size_t image_bytes_ = 0, data_bytes_ = 0;
};

}  // namespace cuda_simulator
