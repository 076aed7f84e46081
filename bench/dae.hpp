// Tables of differential-algebraic problems.
#pragma once

namespace saltus::bench {

/// Index 1 beside IDA: time against error, and the ratio at equal errors.
void print_index_one(bool quick);

/// Mechanisms of index 3 beside the same problems reduced by hand.
void print_high_index(bool quick);

}  // namespace saltus::bench
