// Tables of differential-algebraic problems.
#pragma once

namespace saltus::bench {

/// Index 1 beside IDA: time against error, and the ratio at equal errors.
void print_index_one(bool quick);

/// Mechanisms of index 3 beside the same problems reduced by hand.
void print_high_index(bool quick);

/// Problems of index 1 with events, beside IDA with root finding.
void print_hybrid(bool quick);

/// A long string under a bow: the cost of a step with the number of nodes; steps of the stick-slip problems.
void print_string(bool quick);

}  // namespace saltus::bench
