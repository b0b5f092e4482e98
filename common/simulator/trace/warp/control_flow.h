#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace cuda_simulator {

// The basic blocks of a kernel and the ways between them, as far as threads have gone them.
//
// What a block does after a call of another function, of which nobody is told when it returns, is a
// node of its own: it begins at the first access there.
class ControlFlow {
 public:
  using Node = int;
  // Where every path ends.
  static constexpr Node kEnd = 0;

  // The node of the basic block whose code begins at an address.
  Node node_of(std::uintptr_t code);
  std::uintptr_t code_of(Node node) const { return nodes_[node].code; }
  // Whether an access belongs to a node: the code of none that is known begins between them.
  bool holds(Node node, std::uintptr_t access_code) const {
    return access_code >= nodes_[node].code && access_code < nodes_[node].end;
  }
  void add_edge(Node from, Node to);
  // The node that a path enters after `from`, by its code's address.
  Node follow(Node from, std::uintptr_t code);

  // Where paths that part at the end of `node` meet again: the first node that all paths from there
  // to the end have in common (the immediate post-dominator). kEnd if they do not.
  Node reconvergence_point(Node node);
  // Whether a path can come from `from` to `to` without passing `without`.
  bool reaches(Node from, Node to, Node without) const;

 private:
  struct Data {
    std::uintptr_t code = 0, end = std::numeric_limits<std::uintptr_t>::max();  // of what it holds
    std::vector<Node> successors;
    int order = -1;  // in post-order of the reversed graph; -1 where the end is never reached
    Node reconvergence_point = kEnd;
  };

  void find_reconvergence_points();
  Node common_point(Node a, Node b) const;

  std::vector<Data> nodes_{1};
  std::map<std::uintptr_t, Node> node_by_code_;
  bool changed_ = false;
};

}  // namespace cuda_simulator
