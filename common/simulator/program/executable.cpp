#include "program/executable.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

namespace cuda_simulator {
namespace {

const Elf64_Ehdr& header(const unsigned char* file) {
  return *reinterpret_cast<const Elf64_Ehdr*>(file);
}

const Elf64_Shdr* sections(const unsigned char* file) {
  return reinterpret_cast<const Elf64_Shdr*>(file + header(file).e_shoff);
}

// nullptr if there is no section with this name.
const Elf64_Shdr* section_header(const unsigned char* file, const char* name) {
  const Elf64_Shdr* const all = sections(file);
  const char* const names =
      reinterpret_cast<const char*>(file + all[header(file).e_shstrndx].sh_offset);
  for (int i = 0; i < header(file).e_shnum; ++i) {
    if (std::strcmp(names + all[i].sh_name, name) == 0) return &all[i];
  }
  return nullptr;
}

// Returns whether a mangled name is in the simulator's namespace, or in a function there. A name of
// the learner may contain simulator types, such as a kernel with a __half parameter.
bool is_simulators_own(const char* mangled) {
  const char* scope = mangled + std::strlen("_Z");
  scope += std::strspn(scope, "Z");  // local to a function, or to a lambda in one
  if (*scope != 'N') return false;
  ++scope;
  scope += std::strspn(scope, "VKRO");  // qualifiers of a member function
  static const char own[] = "14cuda_simulator";
  return std::strncmp(scope, own, std::strlen(own)) == 0;
}

// __shared__ variables are the learner's thread-local variables; threadIdx and the others have C
// names.
bool is_shared_variable(const char* mangled) {
  return std::strncmp(mangled, "_Z", 2) == 0 && std::strncmp(mangled, "_ZGV", 4) != 0 &&
         !is_simulators_own(mangled);
}

bool is_local_to_function(const std::string& mangled) { return mangled.rfind("_ZZ", 0) == 0; }

}  // namespace

std::string demangled(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  const std::string result = status == 0 ? text : mangled;
  std::free(text);
  return result;
}

std::string base_name(std::string function) {
  static const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = function.find(anonymous)) != std::string::npos;) {
    function.erase(at, anonymous.size());
  }
  function = function.substr(0, function.find_first_of("<("));
  return function.substr(function.find_last_of(" :") + 1);  // npos + 1 is 0
}

std::string Symbol::name() const {
  // Otherwise a variable x, which is not mangled, would be the type "long long".
  return mangled.rfind("_Z", 0) == 0 ? demangled(mangled) : mangled;
}

bool Symbol::is_simulators_own() const {
  return cuda_simulator::is_simulators_own(mangled.c_str());
}

const Executable& Executable::get() {
  static const Executable& executable =
      *new Executable;  // never destroyed: the report at exit reads it
  return executable;
}

std::string Symbol::own_name() const {
  const std::string full = name();
  return full.substr(full.rfind(':') + 1);
}

Executable::Executable() {
  const int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return;
  void* const file = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                          descriptor, 0);
  close(descriptor);
  if (file == MAP_FAILED) return;
  file_ = static_cast<const unsigned char*>(file);

  // Programs are linked at fixed addresses (-no-pie), so the file's addresses are the process's.
  const auto* segment = reinterpret_cast<const Elf64_Phdr*>(file_ + header(file_).e_phoff);
  std::uintptr_t image_end = 0;
  for (int i = 0; i < header(file_).e_phnum; ++i, ++segment) {
    if (segment->p_type != PT_LOAD) continue;
    if (image_begin_ == 0) image_begin_ = segment->p_vaddr;
    image_end = segment->p_vaddr + segment->p_memsz;
    if (segment->p_flags & PF_W) {
      data_begin_ = segment->p_vaddr;
      data_bytes_ = segment->p_memsz;
    }
  }
  image_bytes_ = image_end - image_begin_;

  const Section symbols = section(".symtab"), names = section(".strtab");
  const auto* const first = reinterpret_cast<const Elf64_Sym*>(symbols.begin);
  for (const Elf64_Sym* symbol = first; symbol < first + symbols.bytes / sizeof *first; ++symbol) {
    const char* const name = reinterpret_cast<const char*>(names.begin) + symbol->st_name;
    if (symbol->st_size == 0) continue;
    const Symbol entry{symbol->st_value, symbol->st_size, name};
    switch (ELF64_ST_TYPE(symbol->st_info)) {
      case STT_TLS:
        if (is_shared_variable(name)) shared_.push_back(entry);
        if (std::strncmp(name, "_ZGV", 4) == 0) guards_.push_back(entry);
        break;
      case STT_OBJECT:
        variables_.push_back(entry);
        break;
      case STT_FUNC:
        functions_.push_back(entry);
        break;
      default:
        break;
    }
  }
  const auto by_address = [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; };
  for (auto* list : {&shared_, &guards_, &variables_, &functions_})
    std::sort(list->begin(), list->end(), by_address);
}

const Symbol* Executable::find(const std::vector<Symbol>& sorted, std::uintptr_t address) {
  auto after =
      std::upper_bound(sorted.begin(), sorted.end(), address,
                       [](std::uintptr_t a, const Symbol& symbol) { return a < symbol.begin; });
  if (after == sorted.begin()) return nullptr;
  const Symbol& symbol = *--after;
  return symbol.holds(address) ? &symbol : nullptr;
}

const Symbol* Executable::largest_shared() const {
  const auto largest =
      std::max_element(shared_.begin(), shared_.end(),
                       [](const Symbol& a, const Symbol& b) { return a.bytes < b.bytes; });
  return largest == shared_.end() ? nullptr : &*largest;
}

const Symbol* Executable::nearest_shared(std::uintptr_t offset) const {
  const auto distance = [&](const Symbol& variable) {
    const std::uintptr_t end = variable.begin + variable.bytes;
    return offset < variable.begin ? variable.begin - offset : offset - std::min(offset, end);
  };
  const auto nearest =
      std::min_element(shared_.begin(), shared_.end(),
                       [&](const Symbol& a, const Symbol& b) { return distance(a) < distance(b); });
  return nearest != shared_.end() ? &*nearest : nullptr;
}

Executable::Section Executable::section(const char* name) const {
  const Elf64_Shdr* const found = file_ ? section_header(file_, name) : nullptr;
  return found ? Section{file_ + found->sh_offset, found->sh_size} : Section{nullptr, 0};
}

std::vector<Symbol> Executable::writable_variables() const {
  const Section of_libraries = section(".dynsym");
  std::set<std::uintptr_t> addresses;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= of_libraries.bytes; at += sizeof(Elf64_Sym)) {
    addresses.insert(reinterpret_cast<const Elf64_Sym*>(of_libraries.begin + at)->st_value);
  }
  std::vector<Symbol> writable;
  const auto is_hidden = [&](const Symbol& variable) {
    return variable.is_simulators_own() || variable.mangled.rfind("_ZGV", 0) == 0 ||
           addresses.count(variable.begin) != 0;
  };
  for (const char* const name : {".data", ".bss", "cuda_constant"}) {
    const Elf64_Shdr* const found = section_header(file_, name);
    if (!found) continue;
    for (const Symbol& variable : variables_) {
      if (variable.begin - found->sh_addr < found->sh_size && !is_hidden(variable))
        writable.push_back(variable);
    }
  }
  return writable;
}

bool Executable::declares(const Symbol& function, const Symbol& variable) {
  const std::string& name = function.mangled;  // without _Z, if it is `extern "C"`
  const std::string encoding = name.rfind("_Z", 0) == 0 ? name.substr(2, name.find('.') - 2)
                                                        : std::to_string(name.size()) + name;
  return variable.mangled.rfind("_ZZ" + encoding + "E", 0) == 0;
}

std::size_t Executable::static_shared_bytes(const std::string& kernel_name) const {
  const std::string wanted = base_name(kernel_name);
  std::map<std::string, std::size_t> bytes_of_function;  // one entry per instantiation
  for (const Symbol& variable : shared_) {
    if (!is_local_to_function(variable.mangled)) continue;
    const std::string name = variable.name();
    const std::size_t colons = name.rfind("::");
    const std::string function = name.substr(0, colons);
    if (base_name(function) == wanted) bytes_of_function[function] += variable.bytes;
  }
  std::size_t largest = 0;
  for (const auto& [function, bytes] : bytes_of_function) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace cuda_simulator
