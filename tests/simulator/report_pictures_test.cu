#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "trace/counts/element_map.h"
#include "trace/kernel_tracer.h"
#include "trace/report/report_pictures.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// The report's data for pictures: one request per access, and the thread that touched an element.

namespace {

using cuda_simulator::AccessCounts;
using cuda_simulator::AccessKind;
using cuda_simulator::ElementMap;
using cuda_simulator::KernelCounts;
using cuda_simulator::KernelTracer;
using cuda_simulator::MemorySpace;
using cuda_simulator::NamedArray;
using cuda_simulator::RequestExample;
using cuda_simulator::Step;

// ---- Examples ----

class Examples : public DeviceTest {};

const KernelCounts& kernel_named(std::string_view name) {
  for (const auto& kernel : KernelTracer::get().kernels()) {
    if (kernel->name == name) return *kernel;
  }
  throw std::runtime_error(std::string(name) + " was not launched");
}

// The accesses of one kind in a kernel.
AccessCounts counts_of(const char* kernel, MemorySpace space, AccessKind kind) {
  AccessCounts total;
  kernel_named(kernel).for_each_access([&](Step step, MemorySpace of, const AccessCounts& counts) {
    if (of == space && step.kind() == kind) total.add(counts);
  });
  return total;
}

std::vector<std::int64_t> offsets_of(const RequestExample& example) {
  std::vector<std::int64_t> offsets;
  for (int lane = 0; lane < 32; ++lane) {
    if (example.lanes >> lane & 1) offsets.push_back(example.offset_bytes[lane]);
  }
  return offsets;
}

template <typename Function>
std::vector<std::int64_t> for_lanes(int lanes, Function offset) {
  std::vector<std::int64_t> offsets;
  for (int lane = 0; lane < lanes; ++lane) offsets.push_back(offset(lane));
  return offsets;
}

// Block 0 stores adjacent floats, blocks 1 and 2 floats that are 8 apart.
__global__ void costly_later_kernel(float* out) {
  const unsigned stride = blockIdx.x == 0 ? 1 : 8;
  out[(blockIdx.x * blockDim.x + threadIdx.x) * stride] = 1.0f;
}

TEST_F(Examples, FirstOfTheCostliest) {
  DeviceBuffer<float> d_out(3 * 64 * 8);
  costly_later_kernel<<<3, 64>>>(d_out.data());
  const AccessCounts stores =
      counts_of("costly_later_kernel", MemorySpace::global, AccessKind::store);
  ASSERT_TRUE(stores.example);
  const RequestExample& example = *stores.example;
  EXPECT_EQ(stores.max_sectors, 32);
  EXPECT_EQ(example.block, 1u);
  EXPECT_EQ(example.warp, 0);
  EXPECT_EQ(example.lanes, ~0u);
  EXPECT_EQ(example.sectors, 32);
  EXPECT_EQ(example.array.name.rfind("allocation ", 0), 0u) << example.array.name;
  EXPECT_EQ(example.array.bytes, d_out.size_bytes());
  EXPECT_EQ(example.begin_in_line(), 0u);
  EXPECT_EQ(offsets_of(example), for_lanes(32, [](int lane) { return (64 + lane) * 32; }));
}

__global__ void odd_lanes_kernel(float* out) {
  if (threadIdx.x % 2 == 1) out[threadIdx.x + 100] = 1.0f;
}

TEST_F(Examples, ActiveLanesOnly) {
  DeviceBuffer<float> d_out(200);
  odd_lanes_kernel<<<1, 32>>>(d_out.data());
  const AccessCounts stores = counts_of("odd_lanes_kernel", MemorySpace::global, AccessKind::store);
  ASSERT_TRUE(stores.example);
  EXPECT_EQ(stores.example->lanes, 0xaaaaaaaau);
  EXPECT_EQ(offsets_of(*stores.example),
            for_lanes(16, [](int lane) { return 4 * (2 * lane + 1 + 100); }));
}

// Warp 0 reads a row of the tile, warp 1 a column.
__global__ void column_in_warp_1_kernel(float* out) {
  __shared__ float tile[32][32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned row = warp; row < 32; row += 2) tile[row][lane] = 1.0f;
  __syncthreads();
  const unsigned row = warp == 0 ? 3 : lane, column = warp == 0 ? lane : 5;
  out[threadIdx.x] = tile[row][column];
}

TEST_F(Examples, OfSharedMemoryWithTheVariablesName) {
  DeviceBuffer<float> d_out(64);
  column_in_warp_1_kernel<<<1, 64>>>(d_out.data());
  const AccessCounts loads =
      counts_of("column_in_warp_1_kernel", MemorySpace::shared, AccessKind::load);
  ASSERT_TRUE(loads.example);
  EXPECT_EQ(loads.max_conflict_ways, 32);
  EXPECT_EQ(loads.example->warp, 1);
  EXPECT_EQ(loads.example->wavefronts, 32);
  EXPECT_EQ(loads.example->array.name, "tile");
  EXPECT_EQ(loads.example->array.bytes, 4096u);
  EXPECT_EQ(loads.example->begin_in_line(), 0u);
  EXPECT_EQ(offsets_of(*loads.example),
            for_lanes(32, [](int lane) { return 4 * (32 * lane + 5); }));
}

__global__ void dynamic_kernel(float* out) {
  extern __shared__ float values[];
  values[threadIdx.x + 7] = 1.0f;
  out[threadIdx.x] = 1.0f;
}

TEST_F(Examples, OfDynamicSharedMemory) {
  DeviceBuffer<float> d_out(32);
  dynamic_kernel<<<1, 32, 256>>>(d_out.data());
  const AccessCounts stores = counts_of("dynamic_kernel", MemorySpace::shared, AccessKind::store);
  ASSERT_TRUE(stores.example);
  EXPECT_EQ(stores.example->array.name, "extern __shared__ memory");
  EXPECT_EQ(stores.example->array.bytes, 256u);
  EXPECT_EQ(offsets_of(*stores.example), for_lanes(32, [](int lane) { return 4 * (lane + 7); }));
}

__device__ float d_table[100];

__global__ void variable_kernel(float* out) { out[threadIdx.x] = d_table[threadIdx.x + 1]; }

// The linker can put the variable anywhere: offsets and begin_in_line together give the sectors.
TEST_F(Examples, OfADeviceVariable) {
  DeviceBuffer<float> d_out(32);
  variable_kernel<<<1, 32>>>(d_out.data());
  const AccessCounts loads = counts_of("variable_kernel", MemorySpace::global, AccessKind::load);
  ASSERT_TRUE(loads.example);
  const RequestExample& example = *loads.example;
  EXPECT_EQ(example.array.name, "d_table");
  EXPECT_EQ(offsets_of(example), for_lanes(32, [](int lane) { return 4 * (lane + 1); }));
  EXPECT_EQ(example.begin_in_line(), reinterpret_cast<std::uintptr_t>(d_table) % 128);
  const std::int64_t begin = example.begin_in_line();
  EXPECT_EQ(loads.max_sectors, (begin + 4 * 32 + 3) / 32 - (begin + 4) / 32 + 1);
}

__global__ void copy_kernel(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST_F(Examples, AccessesAreNumberedInTheirOrder) {
  DeviceBuffer<float> d_in(32), d_out(32);
  d_in.fill_bytes(0);
  copy_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  EXPECT_EQ(counts_of("copy_kernel", MemorySpace::global, AccessKind::load).order, 1u);
  EXPECT_EQ(counts_of("copy_kernel", MemorySpace::global, AccessKind::store).order, 2u);
}

TEST(Example, AsJson) {
  const NamedArray array{MemorySpace::global, "allocation 3", 4096 + 96, 800};
  RequestExample example{7, 2, 0b1010, true, 2, 0, array, {}};
  example.offset_bytes[1] = 404;
  example.offset_bytes[3] = -4;  // in another array
  KernelCounts kernel;
  kernel.blocks = dim3(2, 3);
  std::ostringstream out;
  cuda_simulator::write_example(out, example, kernel);
  const std::string expected =
      "{\"block\":[1,0,1],\"warp\":2,\"approximate\":true,\"sectors\":2,\"wavefronts\":0,"
      "\"array\":\"allocation 3\",\"array_bytes\":800,\"begin_in_line\":96,"
      "\"offsets\":[null,404,null,-4,null,";
  EXPECT_EQ(out.str().substr(0, expected.size()), expected);
}

// ---- Elements ----

ElementMap map_of(std::size_t bytes, unsigned element_bytes) {
  return ElementMap(NamedArray{MemorySpace::global, "allocation 1", 4096, bytes}, element_bytes);
}

TEST(Elements, FirstThreadAndWhetherThereAreOthers) {
  ElementMap map = map_of(16, 4);
  map.add(AccessKind::load, 4, 4, 2, 33);
  map.add(AccessKind::load, 4, 4, 2, 33);
  map.add(AccessKind::load, 8, 4, 0, 1);
  map.add(AccessKind::load, 8, 4, 1, 1);
  map.add(AccessKind::atomic, 12, 4, 0, 9);
  ASSERT_EQ(map.loads().size(), 4u);
  EXPECT_FALSE(map.loads()[0].known);
  EXPECT_EQ(map.loads()[1].block, 2u);
  EXPECT_EQ(map.loads()[1].thread, 33);
  EXPECT_FALSE(map.loads()[1].several);
  EXPECT_EQ(map.loads()[2].block, 0u);
  EXPECT_TRUE(map.loads()[2].several);
  EXPECT_FALSE(map.loads()[3].known);
  EXPECT_TRUE(map.stores()[3].known);
}

TEST(Elements, AreAsWideAsTheNarrowestAccess) {
  ElementMap map = map_of(64, 16);
  map.add(AccessKind::load, 16, 16, 0, 5);
  map.add(AccessKind::load, 4, 4, 0, 6);
  EXPECT_EQ(map.element_bytes(), 4u);
  ASSERT_EQ(map.loads().size(), 16u);
  EXPECT_EQ(map.loads()[1].thread, 6);
  EXPECT_FALSE(map.loads()[2].known);
  for (int i = 4; i < 8; ++i) EXPECT_EQ(map.loads()[i].thread, 5);
  EXPECT_FALSE(map.loads()[8].known);
}

TEST(Elements, BeyondTheLimitAreLeftOut) {
  ElementMap map = map_of(8 * ElementMap::kFollowedElements, 4);
  map.add(AccessKind::store, 4 * (ElementMap::kFollowedElements - 1), 16, 0, 0);
  map.add(AccessKind::store, 4 * ElementMap::kFollowedElements, 4, 0, 0);
  EXPECT_EQ(map.stores().size(), ElementMap::kFollowedElements);
  EXPECT_TRUE(map.stores().back().known);
}

// Block 0 touches 4 x 4 elements of a matrix with 12 columns.
TEST(Elements, RowsAreFoundInTheElementsOfTheFirstBlock) {
  ElementMap map = map_of(12 * 8 * 4, 4);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      map.add(AccessKind::load, 4 * (12 * row + column), 4, 0, 4 * row + column);
      map.add(AccessKind::load, 4 * (12 * row + column + 4), 4, 1, 4 * row + column);
    }
  }
  EXPECT_EQ(map.row_bytes(), 48u);
}

std::vector<std::size_t> lanes_apart(std::size_t bytes) {
  std::vector<std::size_t> offsets;
  for (std::size_t lane = 0; lane < 32; ++lane) offsets.push_back(lane * bytes);
  return offsets;
}

TEST(Elements, RowsAreFoundInAWarpThatGoesDownAColumn) {
  ElementMap map = map_of(64 * 64 * 4, 4);
  map.learn_row(lanes_apart(256), 4);
  EXPECT_EQ(map.row_bytes(), 256u);
}

TEST(Elements, AdjacentElementsAreNotRows) {
  ElementMap map = map_of(4096, 4);
  map.learn_row(lanes_apart(4), 4);
  EXPECT_EQ(map.row_bytes(), 0u);
}

TEST(Elements, ADiagonalIsNotAColumn) {  // of a matrix of 32 x 32
  ElementMap map = map_of(4096, 4);
  map.learn_row(lanes_apart(33 * 4), 4);
  EXPECT_EQ(map.row_bytes(), 0u);
}

TEST(Elements, AStrideOfAFewElementsIsNotARow) {
  ElementMap map = map_of(4096, 4);
  map.learn_row(lanes_apart(4 * 4), 4);
  EXPECT_EQ(map.row_bytes(), 0u);
}

TEST(Elements, UnequalDistancesAreNotRows) {
  ElementMap map = map_of(1 << 20, 4);
  std::vector<std::size_t> offsets = lanes_apart(256);
  offsets[7] += 64;
  map.learn_row(offsets, 4);
  EXPECT_EQ(map.row_bytes(), 0u);
}

std::string json_of(const ElementMap& map) {
  KernelCounts kernel;
  kernel.blocks = dim3(4);
  std::ostringstream out;
  cuda_simulator::write_elements(out, map, kernel);
  std::string json = out.str();
  json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
  return json;
}

TEST(Elements, AsJson) {
  ElementMap map = map_of(12, 4);
  map.add(AccessKind::store, 0, 4, 3, 17);
  map.add(AccessKind::store, 8, 4, 0, 1);
  map.add(AccessKind::store, 8, 4, 0, 2);
  EXPECT_EQ(json_of(map),
            "{\"memory\":\"global\",\"array\":\"allocation 1\",\"array_bytes\":12,"
            "\"element_bytes\":4,\"columns\":32,\"has_rows\":false,\"loads\":null,"
            "\"stores\":[[[[3,0,0],17,false],null,[[0,0,0],1,true]]]}");
}

TEST(Elements, RowsOfAChosenLength) {
  ElementMap map = map_of(12, 4);
  map.add(AccessKind::load, 8, 4, 0, 1);
  setenv("CUDA_SIMULATOR_COLUMNS", "2", 1);
  const std::string json = json_of(map);
  unsetenv("CUDA_SIMULATOR_COLUMNS");
  EXPECT_NE(json.find("\"columns\":2,\"has_rows\":true,"
                      "\"loads\":[[null,null],[[[0,0,0],1,false]]],\"stores\":null}"),
            std::string::npos)
      << json;
}

// The environment requests elements, as ./workbook inspect --picture does.
class TracedElements : public DeviceTest {
 protected:
  void SetUp() override {
    setenv("CUDA_SIMULATOR_ELEMENTS", "1", 1);
    DeviceTest::SetUp();
  }
  void TearDown() override {
    unsetenv("CUDA_SIMULATOR_ELEMENTS");
    DeviceTest::TearDown();
  }
};

__global__ void nothing_kernel() {}

using TracedElementsDeathTest = TracedElements;

TEST_F(TracedElementsDeathTest, MustBe0Or1) {
  const auto launch = [] {
    setenv("CUDA_SIMULATOR_ELEMENTS", "yes", 1);
    nothing_kernel<<<1, 32>>>();
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(2),
              "CUDA_SIMULATOR_ELEMENTS is 'yes'; it must be 0 or 1");
}

TEST_F(TracedElementsDeathTest, HaveAPositiveNumberOfColumns) {
  for (const char* columns : {"0", "-1", "7x", "1000000001", ""}) {
    const auto launch = [=] {
      setenv("CUDA_SIMULATOR_COLUMNS", columns, 1);
      nothing_kernel<<<1, 32>>>();
    };
    EXPECT_EXIT(launch(), testing::ExitedWithCode(2),
                std::string("CUDA_SIMULATOR_COLUMNS is '") + columns + "'; it must be an integer");
  }
}

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[8][9];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int tile_row = static_cast<int>(blockIdx.y) * 8,
            tile_col = static_cast<int>(blockIdx.x) * 8;
  tile[y][x] = in[(tile_row + y) * cols + tile_col + x];
  __syncthreads();
  out[(tile_col + y) * rows + tile_row + x] = tile[x][y];
}

TEST_F(TracedElements, OfAllArraysInTheFirstLaunch) {
  constexpr int kRows = 16, kCols = 24;
  DeviceBuffer<float> d_in(kRows * kCols), d_out(kRows * kCols), d_other(kRows * kCols);
  d_in.fill_bytes(0);
  for (float* out : {d_out.data(), d_other.data()}) {
    transpose_kernel<<<dim3(3, 2), dim3(8, 8)>>>(d_in.data(), out, kRows, kCols);
  }
  const std::vector<ElementMap>& maps = kernel_named("transpose_kernel").elements;
  ASSERT_EQ(maps.size(), 3u);
  EXPECT_EQ(maps[0].row_bytes(), kCols * sizeof(float));
  EXPECT_EQ(maps[1].array().name, "tile");
  EXPECT_EQ(maps[1].row_bytes(), 9 * sizeof(float));
  EXPECT_EQ(maps[2].row_bytes(), kRows * sizeof(float));

  const ElementMap::Touch& loaded = maps[0].loads().at(10 * kCols + 17);  // row 10, column 17
  EXPECT_EQ(loaded.block, 5u);
  EXPECT_EQ(loaded.thread, 2 * 8 + 1);
  const ElementMap::Touch& stored = maps[2].stores().at(17 * kRows + 10);
  EXPECT_EQ(stored.block, 5u);
  EXPECT_EQ(stored.thread, 1 * 8 + 2);
  const ElementMap::Touch& from_tile = maps[1].loads().at(3 * 9 + 4);
  EXPECT_EQ(from_tile.block, 0u);  // shared memory is the first block's
  EXPECT_EQ(from_tile.thread, 4 * 8 + 3);
  EXPECT_FALSE(from_tile.several);
  EXPECT_FALSE(maps[1].stores().at(8).known);  // the padding
}

TEST_F(Examples, ElementsAreFollowedOnlyOnRequest) {
  DeviceBuffer<float> d_in(32), d_out(32);
  d_in.fill_bytes(0);
  copy_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  EXPECT_TRUE(kernel_named("copy_kernel").elements.empty());
}

}  // namespace
