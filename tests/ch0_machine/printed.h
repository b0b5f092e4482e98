#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

// Captures the output of the process and its kernels on stdout, until text() or the end of the
// scope. Scopes can be nested.
class Printed {
 public:
  Printed() : file_(open_file()), stdout_(dup(STDOUT_FILENO)) {
    if (!file_ || stdout_ < 0) throw std::runtime_error("stdout cannot be captured");
    begin_ = lseek(fileno(file_), 0, SEEK_END);
    std::fflush(stdout);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  ~Printed() {
    restore();
    if (ftruncate(fileno(file_), begin_) == 0) lseek(fileno(file_), begin_, SEEK_SET);
    std::fclose(file_);
    close(stdout_);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  std::string text() {
    restore();
    const off_t end = lseek(fileno(file_), 0, SEEK_END);
    std::string text(static_cast<std::size_t>(end - begin_), '\0');
    const ssize_t bytes = pread(fileno(file_), text.data(), text.size(), begin_);
    if (bytes != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the captured output cannot be read");
    }
    return text;
  }

 private:
  // A graded program cannot create a file. The grader opens one, which all scopes share: an inner
  // scope uses the end of the file, and removes its text again.
  static std::FILE* open_file() {
    const char* const name = std::getenv("WORKBOOK_PRINTED");
    return name ? std::fopen(name, "r+") : std::tmpfile();
  }
  void restore() {
    std::fflush(stdout);
    dup2(stdout_, STDOUT_FILENO);
  }

  std::FILE* const file_;
  const int stdout_;
  off_t begin_ = 0;
};
