#include "marked_kernels.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>

#include "tests/simulator/expect_findings.h"

namespace {

namespace kind = cuda_simulator::finding_kind;

const char* const kNothing = "nothing";

// The kinds of findings in kernels, and the error that each of them leaves.
const std::map<std::string, cudaError_t>& kinds() {
  static const std::map<std::string, cudaError_t> errors = {
      {kNothing, cudaSuccess},
      {kind::kOutOfBounds, cudaErrorIllegalAddress},
      {kind::kArrayIndex, cudaErrorIllegalAddress},
      {kind::kFreedMemory, cudaErrorIllegalAddress},
      {kind::kNullPointer, cudaErrorIllegalAddress},
      {kind::kHostPointer, cudaErrorIllegalAddress},
      {kind::kMisaligned, cudaErrorMisalignedAddress},
      {kind::kRace, cudaSuccess},
      {kind::kUninitialised, cudaSuccess},
      {kind::kBarrier, cudaSuccess},
      {kind::kDeadlock, cudaErrorLaunchTimeout},
      {kind::kAssert, cudaErrorAssert},
      {kind::kException, cudaErrorLaunchFailure},
      {kind::kGroup, cudaErrorLaunchFailure},
      {kind::kAsyncCopy, cudaErrorLaunchFailure},
      {kind::kTexture, cudaErrorLaunchFailure},
      {kind::kLaunchInKernel, cudaErrorNotSupported},
  };
  return errors;
}

struct Mark {
  std::string cases;  // a pattern
  int line = 0;
  std::string kind;
  std::uint64_t times = 0;      // 0: any number
  std::string operation;        // empty: any
  std::optional<Index> thread;  // of `block`; none: any
  Index block = {};

  bool is_of(const MarkedCase& one) const {
    return fnmatch(cases.c_str(), one.name.c_str(), 0) == 0;
  }
  bool is_at(const Finding& finding, const Finding::Place& place) const {
    return finding.kind == kind && place.line == line && place.in_kernel &&
           (times == 0 || finding.count == times) &&
           (operation.empty() || place.operation == operation) &&
           (!thread || (index_of(place.thread) == *thread && index_of(place.block) == block));
  }
};

std::vector<std::string> split(const std::string& text, const std::string& separators) {
  const std::regex separator(separators);
  return {std::sregex_token_iterator(text.begin(), text.end(), separator, -1), {}};
}

Index index_from(const std::string& text) {
  Index index = {};
  std::sscanf(text.c_str(), "%u,%u,%u", &index[0], &index[1], &index[2]);
  return index;
}

// `words` is the text after "finds". Returns a mark for each place of each case.
std::vector<Mark> marks_from(const std::string& words, const std::string& kernel, int line) {
  static const std::regex form(
      R"((?: in ([\w*]+(?:, [\w*]+)*))?: (\w+)(?: ([\w, ]*?))?(?:, (\d+) times?)?)");
  static const std::regex place(R"((?:(\w+)(?: by ([\d,]+)(?: of block ([\d,]+))?)?)?)");
  std::smatch parts, place_parts;
  if (!std::regex_match(words, parts, form)) throw std::invalid_argument("is not a mark");
  if (!kinds().count(parts[2])) throw std::invalid_argument("has no known kind of finding");
  std::vector<Mark> marks;
  for (const std::string& cases : split(parts[1].matched ? parts[1].str() : kernel, ", ")) {
    for (const std::string& at : split(parts[3], " and ")) {
      if (!std::regex_match(at, place_parts, place)) throw std::invalid_argument("has no place");
      Mark mark{cases,
                line,
                parts[2],
                parts[4].matched ? std::stoull(parts[4]) : 0,
                place_parts[1],
                std::nullopt,
                index_from(place_parts[3])};
      if (place_parts[2].matched) mark.thread = index_from(place_parts[2]);
      marks.push_back(mark);
    }
  }
  return marks;
}

// The marks, from top to bottom. Throws std::runtime_error for a mark that cannot be read.
std::vector<Mark> read_marks(const std::string& path) {
  static const std::regex kernel_name(R"(__global__ .*\bvoid (\w+)\()");
  static const std::regex mark_in_line(R"(^(.*)// finds\b(.*)$)"), comment(R"(^\s*//)");
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<Mark> marks;
  std::vector<std::string> pending;  // marks above the line
  std::string text, kernel;
  std::smatch parts;
  for (int line = 1; std::getline(file, text); ++line) {
    if (std::regex_search(text, parts, kernel_name)) kernel = parts[1];
    if (std::regex_match(text, parts, mark_in_line)) pending.push_back(parts[2]);
    if (std::regex_search(text, comment)) continue;
    for (const std::string& words : pending) {
      try {
        for (const Mark& mark : marks_from(words, kernel, line)) marks.push_back(mark);
      } catch (const std::invalid_argument& error) {
        throw std::runtime_error(path + ":" + std::to_string(line) + ": '// finds" + words + "' " +
                                 error.what());
      }
    }
    pending.clear();
  }
  if (!pending.empty()) throw std::runtime_error(path + ": no code follows the last mark");
  return marks;
}

// The marks of one case. Fails for marks of the file that belong to no case.
std::vector<Mark> marks_of(const MarkedFile& file, const MarkedCase& one) {
  std::vector<Mark> marks;
  for (const Mark& mark : read_marks(file.path)) {
    if (mark.is_of(one)) marks.push_back(mark);
    EXPECT_TRUE(std::any_of(file.cases.begin(), file.cases.end(),
                            [&](const MarkedCase& other) { return mark.is_of(other); }))
        << file.path << ":" << mark.line << ": there is no case '" << mark.cases << "'";
  }
  return marks;
}

bool contains(const Finding& finding, const std::string& words) {
  const std::string text = "\n" + finding.message + "\n" + facts_of(finding) + "\n";
  std::size_t from = 0;
  for (const std::string& part : split(words, R"(\.\.\.)")) {
    const std::size_t found = text.find(part, from);
    if (found == std::string::npos) return false;
    from = found + part.size();
  }
  return true;
}

// A finding's places must have the order of the marks.
void expect_marked(const std::vector<Finding>& findings, const std::vector<Mark>& marks,
                   const std::string& path) {
  std::vector<bool> is_found(marks.size());
  for (const Finding& finding : findings) {
    std::size_t next = 0;
    for (const Finding::Place& place : finding.places) {
      while (next < marks.size() && !marks[next].is_at(finding, place)) ++next;
      if (next < marks.size() && file_name(place.file) == file_name(path)) {
        is_found[next] = true;
        continue;
      }
      ADD_FAILURE() << place.file << ":" << place.line << ": '" << finding.kind << " "
                    << place.operation << "', " << finding.count
                    << " times, is found here, but no mark states it in this order:\n"
                    << describe(finding);
      break;
    }
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    EXPECT_TRUE(is_found[i]) << path << ":" << marks[i].line << ": no '" << marks[i].kind << " "
                             << marks[i].operation << "' is found as this mark states";
  }
}

}  // namespace

Launch launch(void (*kernel)(int* out, bool right), int blocks, int block_threads,
              std::size_t shared_bytes) {
  return [=](Buffers d, bool right) {
    void* arguments[] = {&d.out, &right};
    CUDA_CHECK(cudaLaunchKernel(kernel, dim3(blocks), dim3(block_threads), arguments, shared_bytes,
                                nullptr));
  };
}

Launch launch(void (*kernel)(int* in, int* out, bool right), int blocks, int block_threads) {
  return [=](Buffers d, bool right) {
    void* arguments[] = {&d.in, &d.out, &right};
    CUDA_CHECK(cudaLaunchKernel(kernel, dim3(blocks), dim3(block_threads), arguments, 0, nullptr));
  };
}

testing::internal::ParamGenerator<MarkedKernel> marked_kernels(std::vector<MarkedCase> cases,
                                                               const char* file) {
  const auto of_file = std::make_shared<const MarkedFile>(MarkedFile{file, std::move(cases)});
  std::vector<MarkedKernel> kernels;
  for (const MarkedCase& one : of_file->cases) kernels.push_back({of_file, one});
  return testing::ValuesIn(kernels);
}

TEST_P(MarkedKernels, AreFound) {
  const auto& [file, the_case] = GetParam();
  const std::vector<Mark> marks = marks_of(*file, the_case);
  ASSERT_FALSE(marks.empty()) << file->path << ": no mark belongs to this case";
  const std::string& kind = marks[0].kind;
  ASSERT_TRUE(kind != kNothing || marks.size() == 1)
      << "one mark has `nothing`, a different mark has a finding";
  for (const bool right : {true, false}) {
    SCOPED_TRACE(right ? "the right kernel" : "the wrong kernel");
    DeviceBuffer<int> d_in(1024), d_out(1024), d_count(16);
    for (DeviceBuffer<int>* d_buffer : {&d_in, &d_out, &d_count}) d_buffer->fill_bytes(0);
    the_case.launch({d_in.data(), d_out.data(), d_count.data()}, right);
    const cudaError_t error = right ? cudaSuccess : kinds().at(kind);
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    if (error != cudaSuccess) expect_device_lost(error);
    if (right || kind == kNothing) {
      expect_marked(take_findings(), {}, file->path);
      continue;
    }
    const std::vector<Finding> findings = take_findings();
    EXPECT_EQ(findings.size(), the_case.findings);
    expect_marked(findings, marks, file->path);
    EXPECT_TRUE(
        std::any_of(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return contains(finding, the_case.text); }))
        << "no finding contains '" << the_case.text << "':\n"
        << (findings.empty() ? "" : findings[0].message + "\n" + facts_of(findings[0]));
  }
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();  // an error of buffers that the lost device did not free
}
