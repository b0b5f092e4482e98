#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

// Captures the output of the process and its kernels on stdout, until text() or the end of the
// scope.
class Printed {
 public:
  Printed() : file_(memfd_create("printed", 0)), stdout_(dup(STDOUT_FILENO)) {
    if (file_ < 0 || stdout_ < 0) throw std::runtime_error("stdout cannot be captured");
    std::fflush(stdout);
    dup2(file_, STDOUT_FILENO);
  }
  ~Printed() {
    restore();
    close(file_);
    close(stdout_);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  std::string text() {
    restore();
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    const ssize_t bytes = pread(file_, text.data(), text.size(), 0);
    if (bytes != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the captured output cannot be read");
    }
    return text;
  }

 private:
  void restore() {
    std::fflush(stdout);
    dup2(stdout_, STDOUT_FILENO);
  }

  int file_, stdout_;
};
