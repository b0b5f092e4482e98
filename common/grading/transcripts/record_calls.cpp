#include "common/grading/transcripts/transcript.h"
#include "common/grading/transcripts/transcript_file.h"

#include "common/cuda_check.h"
#include "cuda_simulator.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Spans = std::vector<cuda_simulator::MemorySpan>;

// Separates the tests' memory from the answer's own allocations, which are not recorded.
class Allocations {
 public:
  Spans of_tests() const {
    Spans spans;
    for (const auto& span : cuda_simulator::live_allocations()) {
      if (own_.count(span.begin) == 0) spans.push_back(span);
    }
    return spans;
  }
  // After a call: all memory that of_tests() did not return before it is the answer's own.
  void note_own(const Spans& of_tests) {
    own_.clear();
    for (const auto& span : cuda_simulator::live_allocations()) own_.insert(span.begin);
    for (const auto& span : of_tests) own_.erase(span.begin);
  }

 private:
  std::set<void*> own_;
};

// Number of bytes up to the last one that is not zero.
std::size_t used_bytes(const cuda_simulator::MemorySpan& span) {
  const auto* const begin = static_cast<const unsigned char*>(span.begin);
  std::size_t bytes = span.bytes;
  while (bytes > 0 && begin[bytes - 1] == 0) --bytes;
  return bytes;
}

class TranscriptFile {
 public:
  static TranscriptFile& get() {
    static TranscriptFile file;
    return file;
  }
  void write(const void* data, std::size_t bytes) {
    if (!file_) fail();
    if (bytes > 0 && std::fwrite(data, bytes, 1, file_) != 1) fail();
  }
  void flush() {
    if (std::fflush(file_) != 0) fail();
  }

 private:
  TranscriptFile() {
    const char* const name = std::getenv("WORKBOOK_TRANSCRIPT");
    if (name && !(file_ = std::fopen(name, "wb"))) fail();
  }
  [[noreturn]] static void fail() {
    const int error = errno;
    std::fprintf(stderr, "The answer's transcript cannot be written (WORKBOOK_TRANSCRIPT): %s.\n",
                 std::strerror(error));
    if (error == EFBIG) {
      std::fputs(
          "It contains the tests' arrays after each call, and a file cannot be that large in the "
          "sandbox. Use smaller hidden shapes, or fewer of them.\n",
          stderr);
    }
    std::exit(2);
  }
  std::FILE* file_ = nullptr;
};

}  // namespace

void transcribe(const std::function<void()>& call, void* result, std::size_t result_bytes) {
  static Allocations allocations;
  const Spans spans = allocations.of_tests();
  CallHead head{};
  std::string text;
  std::exception_ptr thrown;
  const std::uint64_t handled_before = cuda_simulator::bytes_handled_by_host();
  try {
    call();
  } catch (const CudaError& error) {
    head.ending = Ending::threw_cuda_error;
    head.thrown_code = error.code();
    text = error.what();
    thrown = std::current_exception();
  } catch (const std::invalid_argument& error) {
    head.ending = Ending::threw_invalid_argument;
    text = error.what();
    thrown = std::current_exception();
  } catch (const std::exception& error) {
    head.ending = Ending::threw;
    text = error.what();
    thrown = std::current_exception();
  }
  allocations.note_own(spans);
  text.resize(std::min(text.size(), kMaxTextBytes));
  head.last_error = cudaPeekAtLastError();
  head.text_bytes = static_cast<std::uint32_t>(text.size());
  head.allocations = spans.size();
  head.result_bytes = result_bytes;
  head.handled_by_host = cuda_simulator::bytes_handled_by_host() - handled_before;
  TranscriptFile& file = TranscriptFile::get();
  file.write(&head, sizeof head);
  file.write(text.data(), text.size());
  for (const auto& span : spans) {
    const std::size_t used = used_bytes(span);
    file.write(&span.bytes, sizeof span.bytes);
    file.write(&used, sizeof used);
    file.write(span.begin, used);
  }
  file.write(result, result_bytes);
  file.flush();
  if (thrown) std::rethrow_exception(thrown);
}
