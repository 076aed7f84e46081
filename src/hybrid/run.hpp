/// The hybrid run: docs/semantics.md is the binding text, this is its interface.
#pragma once

#include "settle/state/event.hpp"
#include "settle/state/options.hpp"
#include "settle/state/run.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::hybrid {

// What a run is asked for and what it reports: settling an instant needs these words too, and is below.
using settle::Bound;
using settle::Chattering;
using settle::Concurrency;
using settle::Counters;
using settle::Event;
using settle::kOutOfMemory;
using settle::make_stretch_evaluator;
using settle::MethodChange;
using settle::MethodChoice;
using settle::MethodUse;
using settle::Options;
using settle::RestitutionLaw;
using settle::RunObserver;
using settle::RunOutcome;
using settle::Sliding;
using settle::SlidingRule;
using settle::StepEnd;
using settle::Stretch;
using settle::Verify;
using settle::Zeno;

/// Runs from `initial` (HybridSystem::initial at options.start) to options.stop.
[[nodiscard]] RunOutcome run(const system::HybridSystem& system, const system::InitialPoint& initial,
                             const Options& options, RunObserver& observer);

}  // namespace saltus::hybrid
