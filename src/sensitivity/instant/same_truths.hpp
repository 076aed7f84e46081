/// Whether two configurations give the same truths to clauses and discrete equations.
#pragma once

#include <span>

#include "sensitivity/instant/event_time.hpp"

namespace saltus::sensitivity {

/// At a point of the field with these values of all variables; clauses, transitions and discrete equations of its structure.
[[nodiscard]] bool have_same_truths(const FieldSource& source, const StretchField& field,
                                    const InstantPoint& point, std::span<const double> values,
                                    const system::Configuration& one, const system::Configuration& other);

}  // namespace saltus::sensitivity
