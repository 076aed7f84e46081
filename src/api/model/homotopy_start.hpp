/// The start of a model with homotopy(actual, simplified), found by way of the simplified equations (Modelica 3.7.4.4).
///
/// Problem      the equations at the start cannot be solved from the guess, or have several solutions between which the start values do
///              not decide: the author has written which simpler ones to begin with
/// Method       every homotopy(a, s) is λ·a + (1 - λ)·s. λ = 0 is solved from the guess; then λ goes to 1 in steps, each solved from
///              the values before it as start values (natural continuation: Allgower & Georg 1990, chapter 1). A step that has no
///              solution, or none that is decided, is halved. Where there is a start without all that, λ = 1 is first solved from the
///              values of λ = 0 at once: if that is the same start nothing more is asked. If the end of the path is another one, start
///              values that the model gives decide: of the variables that differ, the sum of the distances to them, each over
///              the difference. The path counts unless the other start is nearer.
/// Contract     the start that is found is one of the model itself, solved from a guess near it; a warning says how it was found.
///              Where the path ends before λ = 1, nothing is changed.
/// Fails when   the simplified equations have no start, or the path turns back before λ = 1
/// Cost         one elaboration and two starts; where they differ, the text is elaborated for each step
/// Checked by   tests/unit/api/homotopy_start_test.cpp
#pragma once

#include "api/model/instance.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "settle/start/start_structures.hpp"

namespace saltus::api {

/// `start`: found without the simplified expressions. It and the system of the instance are replaced where the path leads elsewhere.
void follow_homotopy(Instance& instance, double t, double length, StartRule rule,
                     Result<settle::ConsistentStart>& start, Diagnostics& warnings);

}  // namespace saltus::api
