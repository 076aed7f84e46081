/// The text of a network as an engineer writes it: node potentials, laws of elements, Kirchhoff's current law at each node.
///
/// Contract     States have fixed starts, no other variable has a start value. Columns: p<k>; of element X: vX, iX where the spelling
///              names them, sX the curve parameter, offX and onX Booleans, nX the counter of their changes.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/circuits/network.hpp"

namespace saltus::test::circuits {

/// A variable of the text and what it is in the network.
struct Column {
  enum class What { potential, voltage, current, curve, off, count };
  std::string name;
  What what = What::potential;
  std::size_t place = 0;  ///< the node or the element
};

struct WrittenNetwork {
  std::string text;
  std::vector<Column> columns;
};

[[nodiscard]] WrittenNetwork write(const Network& network);

}  // namespace saltus::test::circuits
