#include "chapters/ch8_tsne/harness/clusters.h"
#include "chapters/ch8_tsne/harness/csv.h"
#include "chapters/ch8_tsne/pair_index.h"
#include "common/harness/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <istream>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

// The input of the programs of chapter 8: numbers of pairs, files, random data.

namespace {

// ---- pair_index.h ----

bool operator==(const Pair& a, const Pair& b) { return a.i == b.i && a.j == b.j; }

class PairIndex : public testing::TestWithParam<int> {};

TEST_P(PairIndex, GoesOverAllPairsRowAfterRow) {
  const int count = GetParam();
  long long index = 0;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j, ++index) {
      ASSERT_EQ(pair_index(i, j, count), index) << i << ", " << j;
      ASSERT_TRUE((pair_at(index, count) == Pair{i, j})) << i << ", " << j;
    }
  }
  EXPECT_EQ(pair_count(count), index);
}

INSTANTIATE_TEST_SUITE_P(Counts, PairIndex, testing::Values(0, 1, 2, 3, 4, 5, 31, 32, 33, 999));

class PairIndexAtBorders : public testing::TestWithParam<int> {};

// At the first and the last pair of a row, a root with a small error gives a different row.
TEST_P(PairIndexAtBorders, OfEachRowIsExact) {
  const int count = GetParam();
  long long first = 0;
  for (int i = 0; i < count - 1; ++i) {
    const long long last = first + (count - 1 - i) - 1;
    ASSERT_EQ(pair_index(i, i + 1, count), first) << "row " << i;
    ASSERT_EQ(pair_index(i, count - 1, count), last) << "row " << i;
    ASSERT_TRUE((pair_at(first, count) == Pair{i, i + 1})) << "first of row " << i;
    ASSERT_TRUE((pair_at(last, count) == Pair{i, count - 1})) << "last of row " << i;
    first = last + 1;
  }
  EXPECT_EQ(first, pair_count(count));
}

// 65537 is the first count with more than 2^31 pairs; 2^17 is the largest.
INSTANTIATE_TEST_SUITE_P(Counts, PairIndexAtBorders,
                         testing::Values(2049, 2897, 16384, 46341, 65536, 65537, kMaxCount - 1,
                                         kMaxCount));

TEST(PairCount, IsRightPastAnInt) {
  EXPECT_EQ(pair_count(16384), 134'209'536);
  EXPECT_EQ(pair_count(kMaxCount), 8'589'869'056);
}
TEST(PairCount, IsTheSameInTheTypeOfKernels) {
  for (const int count : {0, 1, 2, 3, 16384, 65537, kMaxCount}) {
    const auto pairs = static_cast<std::size_t>(pair_count(count));
    EXPECT_EQ(pair_count(static_cast<std::size_t>(count)), pairs) << count;
  }
}

// ---- csv.h ----

HostPoints read(const std::string& text) {
  std::istringstream in(text);
  return read_csv(in, "points.csv");
}

std::string message_for(std::istream& in) {
  try {
    read_csv(in, "points.csv");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

using Floats = std::vector<float>;

// Files that are read, and their numbers.
TEST(ReadCsv, ReadsNumbers) {
  const std::vector<std::pair<std::string, Floats>> files = {
      {"1,2,3\n4,5,6\n", {1, 2, 3, 4, 5, 6}},
      {" 1 ,\t2\t,  3\n4, 5,6 \n", {1, 2, 3, 4, 5, 6}},
      {"5,-0.25,+1.5e-3,.5,2.,1E2,-0,007", {5, -0.25f, 1.5e-3f, 0.5f, 2, 100, -0.0f, 7}},
      // Just above the middle between 1 and the next float; as a double it equals that middle.
      {"1.000000059604644775390625000000001", {1 + FLT_EPSILON}},
      {"3.4028234663852886e38,1e-40,1e-60,-1e-60", {FLT_MAX, 1e-40f, 0, 0}},
      {"1,2\r\n3,4\r\n", {1, 2, 3, 4}},
      {"1,2\r\n3,4", {1, 2, 3, 4}},
      {"1,2\n3,4\n\n \t\n\r\n", {1, 2, 3, 4}},
      {"x,y\n1,2\n", {1, 2}},
      {"\"x\",'y'\n1,2\n", {1, 2}},
      {"_x,Gr\xc3\xb6\xc3\x9f\n1,2\n", {1, 2}},
      {"e1,information\n1,2\n", {1, 2}},  // neither a number nor an infinity
      {"\xef\xbb\xbf\x31,2\n", {1, 2}},
      {"\xef\xbb\xbfx,y\r\n1,2\r\n", {1, 2}},
  };
  for (const auto& [text, numbers] : files) EXPECT_EQ(read(text).data, numbers) << text;
  const HostPoints points = read(files[0].first);
  EXPECT_EQ(points.count, 2);
  EXPECT_EQ(points.dimensions, 3);
  EXPECT_EQ(points.layout, Layout::kRowMajor);
}

// Files that are refused, and what the message says after the file's name.
TEST(ReadCsv, RefusesEverythingElse) {
  const std::string empty = "the field is empty. Each component needs a number.";
  const std::string gap = "the line is empty, and there are others below it. Remove it.";
  const std::string none = "there is no vector in it. A line of numbers is a vector.";
  const std::string no_number = " is not a number such as -0.25 or 1.5e-3.";
  const std::string large = " is out of a float's range. Scale the data.";
  std::vector<std::pair<std::string, std::string>> files = {
      {"1,2\n\n\n3,4\n", "2:1: " + gap},
      {"\n1,2\n", "1:1: " + gap},
      {"\xef\xbb\xbf\x31,x\n", "1:6: 'x'" + no_number},
      {"1\n\xef\xbb\xbf\x32\n", "2:1: '?\?\?2'" + no_number},
      {"1,2\nx,y\n", "2:1: 'x'" + no_number},
      {"1,y\n", "1:3: 'y'" + no_number},
      {"x,y\nu,v\n1,2\n", "2:1: 'u'" + no_number},
      {"1,2,3\n4,5,6\n7,8\n", "3:4: 2 fields, but line 1 has 3. All lines need the same."},
      {"1,2\n3,4,5\n", "2:5: 3 fields, but line 1 has 2. All lines need the same."},
      {"x,y,z\n1,2\n", "2:4: 2 fields, but line 1 has 3. All lines need the same."},
      {"1,,3\n", "1:3: " + empty},
      {"1,2\n3,\n", "2:3: " + empty},
      {"1,2\n ,4\n", "2:1: " + empty},
      {"x,\n1,2\n", "1:1: 'x'" + no_number},
      {"1,1e39\n", "1:3: '1e39'" + large},
      {"-3.5e38\n", "1:1: '-3.5e38'" + large},
      {"1e999\n", "1:1: '1e999'" + large},
      {"1e99999999999999999999\n", "1:1: '1e99999999999999999999'" + large},
      {"", "1:1: " + none},
      {"x,y\n", "1:1: " + none},
      {"\xef\xbb\xbf", "1:1: " + none},
      {std::string("1,2\n3,\0\n", 8), "2:3: the byte 0x00 is not text. Is this a CSV file?"},
      {"1,2\r3,4\r", "1:4: the byte 0x0d is not text. Is this a CSV file?"},
      // A terminal must not take bytes of the file for commands.
      {"1,\xff\xfe\n", "1:3: '?\?'" + no_number},
      {std::string(100, '1') + "x\n", "1:1: '" + std::string(30, '1') + "...'" + no_number},
  };
  for (const std::string field : {"x", "1x", "1 2", "1;2", "0x10", "1e", "e5", "--1", "+-1", "-+1",
                                  "++1", "+", "-", ".", "1.2.3", "1_000", "\"1\"", "1f", "#"}) {
    files.emplace_back("1,2\n3, " + field + "\n", "2:4: '" + field + "'" + no_number);
  }
  for (const std::string field : {"nan", "NaN", "-nan", "inf", "-Inf", "+INF", "infinity"}) {
    files.emplace_back(field + "\n1\n",
                       "1:1: '" + field + "' has no distance. Remove the vector or fix it.");
  }
  for (const auto& [text, message] : files) {
    std::istringstream in(text);
    EXPECT_EQ(message_for(in), "points.csv:" + message) << text;
  }
}

// An endless stream, like /dev/zero: the same text again and again.
class Endless : public std::streambuf {
 public:
  explicit Endless(std::string text) : text_(std::move(text)) {}

 protected:
  int_type underflow() override {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_.front());
  }

 private:
  std::string text_;
};

std::string message_for_endless(const std::string& text) {
  Endless buffer(text);
  std::istream in(&buffer);
  return message_for(in);
}

TEST(ReadCsv, EndsWithWhatNeverEnds) {
  const std::string zeros("\0\0", 2);
  EXPECT_EQ(message_for_endless(zeros),
            "points.csv:1:1: the byte 0x00 is not text. Is this a CSV file?");
  EXPECT_EQ(message_for_endless("7"),
            "points.csv:1:1: a field of more than 65536 bytes is not a number.");
  EXPECT_EQ(message_for_endless("1,"),
            "points.csv:1:1: more than 16777216 fields; no more are possible.");
  EXPECT_EQ(message_for_endless("\n"),
            "points.csv:262145:1: one line too many; 131072 vectors at most are possible.");
  EXPECT_EQ(message_for_endless("1,2\n"),
            "points.csv:131073:1: one vector too many; 131072 at most are possible.");
}

TEST(ReadCsv, TakesLinesLongerThanABuffer) {
  std::string text(60'000, ' ');
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i % 10) + ",";
  const HostPoints points = read(text + "3\n");
  ASSERT_EQ(points.dimensions, 100'001);
  EXPECT_EQ(points.data[99'999], 9);
  EXPECT_EQ(points.data[100'000], 3);
}

// Either reads it or reports the line of the error.
TEST(ReadCsv, SurvivesAnyBytes) {
  RandomBits bits(/*seed=*/1);
  const std::string frequent = "0123456789.,-+eE \t\r\n\n,,xna\"";
  for (int file = 0; file < 3000; ++file) {
    std::string text;
    for (std::uint64_t size = bits() % 200; text.size() < size;) {
      text += file % 2 == 0 ? static_cast<char>(bits()) : frequent[bits() % frequent.size()];
    }
    try {
      const HostPoints points = read(text);
      EXPECT_EQ(points.data.size(), static_cast<std::size_t>(points.count) *
                                        static_cast<std::size_t>(points.dimensions));
      EXPECT_TRUE(std::all_of(points.data.begin(), points.data.end(),
                              [](float x) { return std::isfinite(x); }));
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("points.csv:", 0), 0u) << error.what();
    }
  }
}

TEST(ReadCsv, ReadsTheMostVectors) {
  std::string text;
  for (int i = 0; i < kMaxCount; ++i) text += "1\n";
  EXPECT_EQ(read(text).count, kMaxCount);
}

// In some locales a number has a comma instead of a point.
TEST(ReadCsv, DoesNotDependOnTheLocale) {
  struct CommaForAPoint : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before_in_cpp = std::locale::global({std::locale(), new CommaForAPoint});
  const std::string before_in_c = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // if the system has it
  const HostPoints points = read("1.5,2.5\n");
  std::setlocale(LC_ALL, before_in_c.c_str());
  std::locale::global(before_in_cpp);
  EXPECT_EQ(points.data, (Floats{1.5f, 2.5f}));
}

TEST(ReadCsvFile, ReadsAFileAndNamesIt) {
  const std::string path = testing::TempDir() + "ch8_points.csv";
  std::ofstream(path, std::ios::binary) << "1,2\r\n3,4\r\n";
  EXPECT_EQ(read_csv_file(path).data, (Floats{1, 2, 3, 4}));
  std::ofstream(path) << "1,2\n3\n";
  try {
    read_csv_file(path);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path + ":2:2:", 0), 0u) << error.what();
  }
  std::remove(path.c_str());
}

TEST(ReadCsvFile, SaysWhyThereIsNone) {
  try {
    read_csv_file("no/such/file.csv");
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "no/such/file.csv cannot be opened: No such file or directory.");
  }
  EXPECT_THROW(read_csv_file(testing::TempDir()), UsageError);  // a folder
}

// ---- clusters.h ----

TEST(SquaredDistance, AddsTheSquaresOfDifferences) {
  for (const Layout layout : {Layout::kRowMajor, Layout::kTransposed}) {
    const HostPoints points = in_layout({{1, 2, 4, -2, -2, 3}, 3, 2, Layout::kRowMajor}, layout);
    EXPECT_EQ(squared_distance(points, 0, 1), 25);
    EXPECT_EQ(squared_distance(points, 2, 1), 61);
  }
}

TEST(ClusteredPoints, LieInGroupsThatAreFarFromTheOrigin) {
  constexpr int kCount = 40, kDimensions = 300;
  const Clusters clusters;
  const HostPoints points = clustered_points(kCount, kDimensions, clusters, /*seed=*/1);
  ASSERT_EQ(points.data.size(), static_cast<std::size_t>(kCount) * kDimensions);
  const double inside = 2.0 / 3 * clusters.radius * clusters.radius * kDimensions,
               between = 2.0 / 3 * clusters.spread * clusters.spread * kDimensions;
  for (int i = 0; i < kCount; ++i) {
    for (int j = i + 1; j < kCount; ++j) {
      const double expected = (j - i) % clusters.groups == 0 ? inside : between;
      EXPECT_NEAR(squared_distance(points, i, j), expected, 0.3 * expected) << i << ", " << j;
    }
  }
  const double furthest = clusters.spread + clusters.radius;
  for (const float x : points.data) EXPECT_NEAR(x, clusters.offset, furthest + 1e-6);
}

TEST(ClusteredPoints, DependOnTheSeedAlone) {
  const HostPoints points = clustered_points(20, 5, {}, 1);
  EXPECT_EQ(clustered_points(20, 5, {}, 1).data, points.data);
  EXPECT_NE(clustered_points(20, 5, {}, 2).data, points.data);
  const Clusters elsewhere{1, -4, 0, 0};
  EXPECT_EQ(clustered_points(2, 3, elsewhere, 1).data, Floats(6, -4));
}

TEST(ClusteredPoints, MayBeFewOrNone) {
  EXPECT_EQ(clustered_points(0, 5, {}, 1).data, Floats{});
  EXPECT_EQ(clustered_points(5, 0, {}, 1).data, Floats{});
  EXPECT_EQ(clustered_points(1, 3, {}, 1).data.size(), 3u);
}

TEST(ClusteredPoints, RefuseSizesThatMakeNoSense) {
  EXPECT_THROW(clustered_points(-1, 5, {}, 1), std::invalid_argument);
  EXPECT_THROW(clustered_points(5, -1, {}, 1), std::invalid_argument);
  EXPECT_THROW(clustered_points(5, 5, {0, 0, 1, 1}, 1), std::invalid_argument);
}

}  // namespace
