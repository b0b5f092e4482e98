#include "tests/grading/transcript.h"
#include "tests/grading/transcript_file.h"

#include "common/cuda_check.h"
#include "simulator/snapshot.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>

namespace {

// Memory that the answer allocates for itself is none of the tests' business.
class Allocations {
 public:
  std::vector<cuda_simulator::MemorySpan> of_tests() const {
    std::vector<cuda_simulator::MemorySpan> spans;
    for (const auto& span : cuda_simulator::live_allocations()) {
      if (own_.count(span.begin) == 0) spans.push_back(span);
    }
    return spans;
  }
  // After a call that began with what of_tests() gave.
  void note_own(const std::vector<cuda_simulator::MemorySpan>& before) {
    std::set<void*> known = own_;
    for (const auto& span : before) known.insert(span.begin);
    own_.clear();
    for (const auto& span : cuda_simulator::live_allocations()) {
      const bool was_own = known.count(span.begin) > 0 && !is_in(before, span.begin);
      if (was_own || known.count(span.begin) == 0) own_.insert(span.begin);
    }
  }

 private:
  static bool is_in(const std::vector<cuda_simulator::MemorySpan>& spans, const void* begin) {
    for (const auto& span : spans) {
      if (span.begin == begin) return true;
    }
    return false;
  }
  std::set<void*> own_;
};

class TranscriptFile {
 public:
  static TranscriptFile& get() {
    static TranscriptFile file;
    return file;
  }
  void write(const void* data, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(data, bytes, 1, file_) != 1) fail();
  }
  void flush() {
    if (std::fflush(file_) != 0) fail();
  }
  Allocations allocations;

 private:
  TranscriptFile() {
    const char* const name = std::getenv("WORKBOOK_TRANSCRIPT");
    file_ = std::fopen(name ? name : "", "wb");
    if (!file_) fail();
  }
  [[noreturn]] static void fail() {
    std::perror("WORKBOOK_TRANSCRIPT");
    std::exit(2);
  }
  std::FILE* file_;
};

}  // namespace

void transcribe(const std::function<void()>& call, void* result, std::size_t result_bytes) {
  TranscriptFile& file = TranscriptFile::get();
  const auto spans = file.allocations.of_tests();
  CallHead head{};
  std::string text;
  std::exception_ptr thrown;
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
  file.allocations.note_own(spans);
  head.last_error = cudaPeekAtLastError();
  head.text_bytes = static_cast<std::uint32_t>(text.size());
  head.allocations = spans.size();
  head.result_bytes = result_bytes;
  file.write(&head, sizeof head);
  file.write(text.data(), text.size());
  for (const auto& span : spans) {
    file.write(&span.bytes, sizeof span.bytes);
    file.write(span.begin, span.bytes);
  }
  file.write(result, result_bytes);
  file.flush();
  if (thrown) std::rethrow_exception(thrown);
}
