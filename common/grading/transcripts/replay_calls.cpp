#include "common/grading/transcripts/transcript.h"
#include "common/grading/transcripts/transcript_file.h"

#include "common/cuda_check.h"
#include "cuda_simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

[[noreturn]] void refuse(const char* reason) {
  std::fprintf(stderr, "The transcript does not fit the tests: %s.\n", reason);
  std::_Exit(3);
}

class TranscriptFile {
 public:
  static TranscriptFile& get() {
    static TranscriptFile file;
    return file;
  }
  void read(void* data, std::size_t bytes) {
    if (!file_) refuse("it cannot be read");
    if (bytes > 0 && std::fread(data, bytes, 1, file_) != 1) refuse("it ends too early");
  }

 private:
  TranscriptFile() {
    const char* const name = std::getenv("WORKBOOK_TRANSCRIPT");
    if (name) file_ = std::fopen(name, "rb");
  }
  std::FILE* file_ = nullptr;
};

// The largest numbers of the calls so far, as properties of the test: the bytes that the host
// handled (simulator/snapshot.h), and those of the arrays.
void note_bytes(std::uint64_t of_host, std::uint64_t of_arrays) {
  static std::uint64_t most_of_host = 0, most_of_arrays = 0;
  most_of_host = std::max(most_of_host, of_host);
  most_of_arrays = std::max(most_of_arrays, of_arrays);
  testing::Test::RecordProperty("host_bytes", std::to_string(most_of_host));
  testing::Test::RecordProperty("call_bytes", std::to_string(most_of_arrays));
}

cudaError_t as_error(std::uint32_t code) { return static_cast<cudaError_t>(code); }

}  // namespace

void transcribe(const std::function<void()>&, void* result, std::size_t result_bytes) {
  cuda_simulator::hide_launches();
  TranscriptFile& file = TranscriptFile::get();
  CallHead head;
  file.read(&head, sizeof head);
  if (head.text_bytes > kMaxTextBytes) refuse("the text of an exception is too long");
  std::string text(head.text_bytes, '\0');
  file.read(text.data(), text.size());
  const auto spans = cuda_simulator::live_allocations();
  if (head.allocations != spans.size()) refuse("a different number of arrays");
  // The copies below replace the answer's own work, which came after earlier work in its stream.
  // While a stream is captured, its work does not run, and there is nothing to replace.
  const bool has_run = !cuda_simulator::is_any_stream_captured();
  if (has_run) CUDA_CHECK(cudaDeviceSynchronize());
  std::uint64_t used_bytes = 0;
  for (const auto& span : spans) {
    std::size_t bytes = 0, used = 0;
    file.read(&bytes, sizeof bytes);
    file.read(&used, sizeof used);
    if (bytes != span.bytes || used > bytes) refuse("an array of a different size");
    used_bytes += used;
    std::vector<char> content(bytes);  // zeros
    file.read(content.data(), used);
    if (has_run) CUDA_CHECK(cudaMemcpy(span.begin, content.data(), bytes, cudaMemcpyDefault));
  }
  note_bytes(head.handled_by_host, used_bytes);
  if (head.result_bytes != result_bytes) refuse("a result of a different size");
  file.read(result, result_bytes);
  cuda_simulator::fail_launch(0);  // the answer's launch has failed in its own process
  cuda_simulator::set_last_error(as_error(head.last_error));
  switch (head.ending) {
    case Ending::returned:
      return;
    case Ending::threw_cuda_error:
      throw CudaError(as_error(head.thrown_code), text.c_str());
    case Ending::threw_invalid_argument:
      throw std::invalid_argument(text);
    case Ending::threw:
      throw std::runtime_error(text);
  }
  refuse("an unknown ending");
}
