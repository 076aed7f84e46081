/// A copy of the model's graph for what is built on demand, after the system is finished and shared.
///
/// Contract     the graph grows only between open() and the end of the Access it gave; one thread at a time. Nodes of the
///              model's graph have the same ids in the copy.
/// Cost         the first open() copies the graph: runs that ask for nothing pay nothing.
/// Checked by   tests/unit/program/mode_equations_test.cpp
#pragma once

#include <mutex>
#include <optional>

#include "expr/graph.hpp"

namespace saltus::program {

class LateGraph {
 public:
  /// `original` must not grow any more and outlive the object.
  explicit LateGraph(const expr::Graph& original) : original_(original) {}

  class Access {
   public:
    [[nodiscard]] expr::Graph& operator*() { return graph_; }
    [[nodiscard]] expr::Graph* operator->() { return &graph_; }

   private:
    friend class LateGraph;
    Access(std::mutex& mutex, expr::Graph& graph) : lock_(mutex, std::adopt_lock), graph_(graph) {}
    std::unique_lock<std::mutex> lock_;
    expr::Graph& graph_;
  };

  [[nodiscard]] Access open() {
    mutex_.lock();
    if (!copy_) {
      copy_.emplace(original_);
    }
    return {mutex_, *copy_};
  }

 private:
  const expr::Graph& original_;
  std::mutex mutex_;
  std::optional<expr::Graph> copy_;
};

}  // namespace saltus::program
