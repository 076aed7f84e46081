/// Takes down what a function does with Reals.
///
/// Problem    a plain function over Reals is to become expressions: C++ runs it, and every operation must say what it did.
/// Method     a Real holds its number at the point of the trace and the node of its expression, which is interned in the graph of the function;
///            operations on numbers alone too, so that 5*x and 5*0 differ in one operand. Numbers are compared as numbers. A comparison is answered by what is given for it, else by its numbers, and is
///            added to the path; asked again on the same path it has the same answer, and a < b excludes b < a.
/// Contract   one Recorder at a time records in a thread; they nest. A Real tells by the number of its run whether it belongs to it: nothing is
///            looked up by pointers that could have ended. What goes wrong is kept and thrown, so that a function that swallows
///            exceptions fails all the same.
/// Choices    the recorder of a thread is found by a thread_local pointer: operators take no further argument
/// Cost       one look-up in the graph for each operation
/// Checked by tests/unit/trace/recorder_test.cpp
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "saltus/real.hpp"
#include "trace/recording.hpp"

namespace saltus::trace {

class Recorder {
 public:
  /// Calls it for this many residuals; it makes its leaves with leaf().
  using Function = std::function<void(Recorder& recorder, std::span<Real> residual)>;

  [[nodiscard]] static Recording record(TraceGraph& graph, const Function& function, std::size_t n_residuals,
                                        const Answers& answers);

  [[nodiscard]] Real leaf(const expr::Node& node, double value);
  /// A truth that is asked like a comparison: whether the leaf is above zero.
  [[nodiscard]] bool is_true(const expr::Node& leaf, double value);

  // Of the operators of Real.
  [[nodiscard]] static Real unary(expr::Op op, double value, const Real& a);
  [[nodiscard]] static Real binary(expr::Op op, double value, const Real& a, const Real& b);
  /// Whether a is less than b, or what else is written.
  [[nodiscard]] static bool compare(const Real& a, const Real& b, Written written);
  [[nodiscard]] static double number(const Real& a) { return a.value_; }
  [[nodiscard]] static double value_for_outside(const Real& a);

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

 private:
  Recorder(TraceGraph& graph, const Answers& answers);
  ~Recorder();

  [[nodiscard]] static bool less(const Real& a, const Real& b, Written written);
  [[nodiscard]] static bool is_number(const Real& a) { return a.run_ <= Real::kNumber; }
  [[nodiscard]] static bool is_made_of_numbers(const Real& a);
  /// That records what this Real is part of.
  [[nodiscard]] static Recorder& of(const Real& a);
  [[nodiscard]] NodeId node(const Real& a);
  [[nodiscard]] Real made(expr::Node node, double value);
  [[nodiscard]] bool decide(NodeId less, NodeId greater, bool by_value, Written written);
  void collect(std::span<const Real> residual, std::size_t n);
  void fail(Failure::Kind kind, std::string message);
  [[noreturn]] void stop(Failure::Kind kind, std::string message);

  TraceGraph& graph_;
  const Answers& answers_;
  Recorder* outer_;
  std::uint32_t run_;
  std::size_t n_operations_ = 0;
  std::unordered_map<std::uint32_t, bool> asked_;
  Recording recording_;
};

}  // namespace saltus::trace
