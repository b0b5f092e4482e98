#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace cuda_simulator {

// The basic blocks of a kernel and the edges between them, as far as threads have taken them.
// The code of a block after a call of another function is a separate node, because no hook reports
// the return: the node begins at the first access there.
class ControlFlow {
 public:
  using Node = int;
  // The end of every path.
  static constexpr Node kEnd = 0;

  // The node of the basic block whose code begins at an address.
  Node node_of(std::uintptr_t code);
  std::uintptr_t code_of(Node node) const { return nodes_[node].code; }
  // Returns whether an access belongs to a node: no other known node begins between them.
  bool holds(Node node, std::uintptr_t access_code) const {
    return access_code >= nodes_[node].code && access_code < nodes_[node].end;
  }
  void add_edge(Node from, Node to);
  // The node that a path enters after `from`, by its code's address.
  Node follow(Node from, std::uintptr_t code);
  // The same for a node by its code. Threads take the same few edges again and again, so the last
  // ones are kept. A path's codes are known before its nodes are, so the processor can look for
  // several edges at once.
  Node follow_code(std::uintptr_t from, std::uintptr_t code) {
    const std::uint64_t key = std::uint64_t{from} << 32 | code;  // programs are linked below 4 GB
    Edge& edge = edges_[(from ^ code * 5) % edges_.size()];
    if (edge.key != key) edge = {key, follow(node_of(from), code)};
    return edge.to;
  }

  // The node where paths that diverge at the end of `node` reconverge: the first node that all
  // paths from there to the end have in common (the immediate post-dominator). kEnd if there is
  // none.
  Node reconvergence_point(Node node);
  // Returns whether there is a path from `from` to `to` that does not contain `without`.
  bool reaches(Node from, Node to, Node without) const {
    Way& way = ways_[static_cast<unsigned>(from * 31 + to * 5 + without) % ways_.size()];
    if (way.from != from || way.to != to || way.without != without)
      way = {from, to, without, finds_way(from, to, without)};
    return way.exists;
  }

 private:
  struct Data {
    // the code range of the node
    std::uintptr_t code = 0, end = std::numeric_limits<std::uintptr_t>::max();
    std::vector<Node> successors;
    int order = -1;  // in post-order of the reversed graph; -1 if the end is unreachable
    Node reconvergence_point = kEnd;
  };

  struct Edge {
    std::uint64_t key = 0;
    Node to = kEnd;
  };
  struct Way {  // the arguments and the result of reaches()
    Node from = -1, to = kEnd, without = kEnd;
    bool exists = false;
  };

  bool finds_way(Node from, Node to, Node without) const;
  void find_reconvergence_points();
  Node common_point(Node a, Node b) const;

  std::vector<Data> nodes_{1};
  std::map<std::uintptr_t, Node> node_by_code_;
  std::array<Edge, 256> edges_;
  mutable std::array<Way, 64> ways_;  // of the graph as it is
  bool changed_ = false;
};

}  // namespace cuda_simulator
