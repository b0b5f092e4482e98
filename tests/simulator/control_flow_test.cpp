#include "trace/warp/control_flow.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace {

using cuda_simulator::ControlFlow;

// Nodes are named by one-letter codes; '.' is the end.
class Flow {
 public:
  explicit Flow(std::initializer_list<const char*> paths) {
    for (const char* path : paths) {
      for (const char* at = path; at[1] != '\0'; ++at) flow_.add_edge(node(at[0]), node(at[1]));
    }
  }
  char reconvergence_point(char of) {
    const ControlFlow::Node found = flow_.reconvergence_point(node(of));
    return found == ControlFlow::kEnd ? '.' : static_cast<char>(flow_.code_of(found));
  }
  bool reaches(char from, char to, char without) {
    return flow_.reaches(node(from), node(to), node(without));
  }

 private:
  ControlFlow::Node node(char name) {
    return name == '.' ? ControlFlow::kEnd : flow_.node_of(static_cast<std::uintptr_t>(name));
  }
  ControlFlow flow_;
};

TEST(ControlFlow, BranchesOfAnIfMeetAfterIt) {
  Flow flow{"aijz.", "akjz."};
  EXPECT_EQ(flow.reconvergence_point('a'), 'j');
  EXPECT_EQ(flow.reconvergence_point('i'), 'j');
  EXPECT_EQ(flow.reconvergence_point('z'), '.');
}

TEST(ControlFlow, AReturnInOneBranchMeetsNowhere) {
  Flow flow{"ai.", "aj."};
  EXPECT_EQ(flow.reconvergence_point('a'), '.');
}

TEST(ControlFlow, LanesThatLeaveALoopMeetAfterIt) {
  Flow flow{"ahblhz.", "hbz"};  // b may break
  EXPECT_EQ(flow.reconvergence_point('h'), 'z');
  EXPECT_EQ(flow.reconvergence_point('b'), 'z');
  EXPECT_EQ(flow.reconvergence_point('l'), 'h');
  EXPECT_TRUE(flow.reaches('l', 'b', 'z'));
  EXPECT_FALSE(flow.reaches('l', 'b', 'h'));
}

TEST(ControlFlow, NestedBranches) {
  Flow flow{"abcez.", "abdez.", "az"};
  EXPECT_EQ(flow.reconvergence_point('b'), 'e');
  EXPECT_EQ(flow.reconvergence_point('a'), 'z');
}

TEST(ControlFlow, EachPathAddsToIt) {
  Flow flow{"ab."};
  EXPECT_EQ(flow.reconvergence_point('a'), 'b');
  Flow longer{"ab.", "ac."};
  EXPECT_EQ(longer.reconvergence_point('a'), '.');
}

TEST(ControlFlow, ANewEdgeIsANewWay) {
  ControlFlow flow;
  const ControlFlow::Node a = flow.node_of(10), b = flow.node_of(20), c = flow.node_of(30);
  EXPECT_FALSE(flow.reaches(a, c, ControlFlow::kEnd));
  flow.add_edge(a, b);
  flow.add_edge(b, c);
  EXPECT_TRUE(flow.reaches(a, c, ControlFlow::kEnd));
}

TEST(ControlFlow, ALoopThatNoLaneHasLeft) {
  Flow flow{"abca"};
  EXPECT_EQ(flow.reconvergence_point('a'), '.');
  EXPECT_TRUE(flow.reaches('b', 'a', 'z'));
}

TEST(ControlFlow, ANodeHoldsTheCodeUpToTheNextNode) {
  ControlFlow flow;
  const ControlFlow::Node last = flow.node_of(30), first = flow.node_of(10);
  EXPECT_TRUE(flow.holds(first, 10));
  EXPECT_TRUE(flow.holds(first, 29));
  EXPECT_FALSE(flow.holds(first, 30));
  EXPECT_FALSE(flow.holds(last, 29));
  EXPECT_TRUE(flow.holds(last, 1000));
  const ControlFlow::Node between = flow.node_of(20);
  EXPECT_FALSE(flow.holds(first, 20));
  EXPECT_TRUE(flow.holds(between, 29));
  EXPECT_FALSE(flow.holds(between, 30));
}

}  // namespace
