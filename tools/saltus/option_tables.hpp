/// The options of the commands that run models, as the help shows them.
#pragma once

#include <string_view>

namespace saltus::tool {

struct SimulationOption {
  const char* name;
  const char* type;
  const char* group;
  const char* text;
};

inline constexpr SimulationOption kSimulationOptions[] = {
    {"start", "T", "Time", "start time (annotation, else 0)"},
    {"stop", "T", "Time", "stop time (annotation, else 1); before the start: backwards in time"},
    {"interval", "DT|steps", "Time",
     "time between output rows, or one at the end of every step (annotation, else 1/500 of the whole)"},
    {"columns", "NAME,NAME", "Output",
     "columns of the rows: names, patterns (a.*), der(NAME), guards, all; repeatable (all)"},
    {"sens", "NAME,NAME", "Output",
     "sensitivities to these parameters and start values: names, all, starts; repeatable (none)"},
    {"sens-side", "WORD", "Output",
     "sensitivities where those for larger and smaller values differ: both (undefined), plus, minus (both)"},
    {"expect-index", "MU,D,A,U,V|MODE=…", "Model",
     "characteristic values to be verified, of all modes or of one; repeatable (none)"},
    // Before --set: options are read in this order, and the last value of a name counts.
    {"set-file", "FILE", "Model", "names and values to set, a JSON object or CSV; repeatable"},
    {"set", "NAME=VALUE", "Model", "value of a parameter, or start value of a variable; repeatable"},
    {"input", "FILE.csv", "Model", "values of inputs over time, columns by name; repeatable"},
    {"input-rule", "RULE|NAME=RULE", "Model",
     "between the rows of inputs: linear, hold, cubic (linear; for one input; repeatable)"},
    {"start-rule", "WORD", "Model",
     "how start values that do not fit give way: least-change, minimum-norm (least-change)"},
    {"formulation", "NAME", "Model",
     "how constraints are used in steps, for instance post-stabilized (general)"},
    {"constraint-rate", "SIGMA,SIGMA", "Model",
     "rate at which formulations take constraints back to zero, for all or for each (10)"},
    {"reaching-rate", "ETA,ETA", "Model",
     "rate at which --formulation reaching reaches constraints, for all or for each (1)"},
    {"boundary-layer", "WIDTH", "Model", "width of the layer of --formulation boundary-layer (1e-3)"},
    {"tolerance", "TOL", "Accuracy",
     "relative tolerance, and absolute in units of the nominal values (1e-6)"},
    {"rtol", "TOL", "Accuracy", "relative tolerance alone"},
    {"atol", "TOL|NAME=TOL", "Accuracy", "absolute tolerance of all states, or of one; repeatable"},
    {"invariant", "NAME,NAME", "Output",
     "variables that should not change; summary.json says how much they did; repeatable"},
    {"nonnegative", "NAME,NAME", "Accuracy", "variables that must not become negative; repeatable"},
    {"method", "NAME|MODE=NAME", "Method", "integration method, or that of one mode; repeatable"},
    {"order", "K", "Method", "order of the method; with --method auto one of that order is taken"},
    {"max-order", "K", "Method", "highest order of bdf, 1 to 6 (5)"},
    {"step", "H", "Method", "fixed step size, without error control"},
    {"initial-step", "H", "Method", "size of the first step (chosen)"},
    {"max-step", "H|MODE=H", "Method", "largest step size, or that in one mode (none)"},
    {"step-control", "WORD", "Method", "how sizes follow from errors: standard, compere (standard)"},
    {"step-exponent", "X", "Method", "exponent of --step-control compere (1/6)"},
    {"restart-step", "H", "Method", "largest first step after an event (none)"},
    {"sliding", "WORD", "Events", "motion on surfaces that attract: on, off, hysteresis (on)"},
    {"sliding-rule", "WORD", "Events",
     "how it is built: blend, convex (blend where that is Filippov's solution, else convex)"},
    {"zeno", "WORD", "Events", "what events that accumulate do: rest, stop, continue (rest)"},
    {"restitution", "WORD", "Events",
     "law of restitution of contacts: newton, of velocities, or poisson, of impulses (newton)"},
    {"chattering", "WORD", "Events", "what chattering does: report, stop, off (report)"},
    {"chattering-time", "T", "Events",
     "three switches, each so soon after the last, are chattering (1e-7 of the run)"},
    {"dwell", "T", "Events", "least time between two switches of one condition (0)"},
    {"concurrency", "TIME,AMPLITUDE", "Events",
     "region in which events without a reset happen together (none)"},
    {"detection", "WORD|N", "Events",
     "how guards are watched: bound, ends, stages, or N times 6 points in a step (bound)"},
    {"event-tolerance", "T", "Events", "accuracy of the times of events (to the last bit)"},
    {"shifted-location", "EPS", "Events",
     "events happen beyond their surface by EPS, or before it where there is a reset (on it)"},
    {"guard-error", "WORD", "Events", "guards take part in the error test of steps: on, off (off)"},
    {"singular", "WORD", "Events", "what a point without a unique continuation does: stop, pass (stop)"},
    {"verify", "WORD", "Events",
     "which ends of steps are compared with the model as written, besides instants: some, full (some)"},
    {"explain-event", "N", "Events", "explain event N: guards, derivatives on both sides, the decision"},
    {"max-steps", "N", "Limits", "most steps to attempt (1e8)"},
    {"max-events", "N", "Limits", "most events (1e6)"},
    {"max-rounds", "N", "Limits", "most rounds at one instant (1000)"},
    {"max-immediate", "N", "Limits", "most transitions in a row that hold on entry (100)"},
    {"max-time", "SECONDS", "Limits", "most wall time to spend (none)"},
    {"checkpoint", "FILE[,SECONDS]", "Output",
     "save the run now and then, so that it can go on when it was killed (every 60 s)"},
    {"resume", "FILE", "Output", "go on from a checkpoint, with the same model and options"},
};

inline constexpr const char* kRunFooter =
    "What is not given comes from annotation(__saltus(...)) and annotation(experiment(...)) of the model.\n"
    "Exit codes: 0 success or terminated, 1 the run could not start or ended early, 2 wrong model, options "
    "or files, 3 a "
    "bug.";

inline constexpr SimulationOption kFitOptions[] = {
    {"params", "NAME[=GUESS[:LOW:HIGH]],…", "Fit",
     "what is fitted: parameters, and variables whose start value is meant; guesses (those of the model) and "
     "bounds; repeatable"},
    {"sigma", "NAME=S", "Fit",
     "noise of a column of the data; repeatable (1, and standard errors by the residuals)"},
    {"loss", "WORD", "Fit", "how residuals count: none, huber, cauchy (none)"},
    {"loss-scale", "C", "Fit",
     "where a loss begins to bend, in units of residuals (1.345 huber, 2.3849 cauchy)"},
    {"starts", "N", "Fit", "starts: the guess, the others random within the bounds (1)"},
    {"seed", "N", "Fit", "of the random starts (1)"},
    {"threads", "N", "Fit", "that work on starts (as many as the machine has)"},
    {"max-iterations", "N", "Fit", "most steps of each start (100)"},
};

// Of a run, that have no meaning in a fit: it asks for rows at the times of the data.
inline constexpr std::string_view kNotForFits[] = {"interval", "columns", "explain-event", "checkpoint",
                                                   "resume",   "sens",    "sens-check",    "sens-side"};

inline constexpr const char* kFitFooter =
    "Columns of the data are 'time' and names of variables; empty cells are missing values. Files: fit.json, "
    "fit.csv, "
    "fit.html.\n"
    "Exit codes: 0 converged, 1 not converged, parameters that the data do not determine, or a model that "
    "cannot be "
    "run with the guess, 2 wrong model, options or files, 3 a bug.";

inline constexpr SimulationOption kGradientOptions[] = {
    {"with", "NAME,NAME", "Gradient", "parameters and start values: names, all, starts; repeatable"},
    {"by", "WORD", "Gradient", "how: auto, forward (auto)"},
};

inline constexpr SimulationOption kOptimizeOptions[] = {
    {"params", "NAME[=GUESS[:LOW:HIGH]],…", "Optimum",
     "what is changed: parameters, and variables whose start value is meant; guesses (those of the model) "
     "and "
     "bounds; repeatable"},
    {"subject", "F<=F", "Optimum", "a constraint: functionals with <=, >= or == between them; repeatable"},
    {"accuracy", "A", "Optimum", "relative accuracy of parameters and constraints (1e-5)"},
    {"max-iterations", "N", "Optimum", "most steps (100)"},
};

inline constexpr SimulationOption kSweepOptions[] = {
    {"vary", "NAME=VALUES", "Sweep",
     "values of a parameter or start value: LOW:STEP:HIGH, {V,V}, linear(LOW,HIGH,N), log(LOW,HIGH,N); for "
     "--random LOW..HIGH, log(LOW..HIGH), normal(MEAN,DEVIATION); repeatable: every combination"},
    {"samples", "FILE.csv", "Sweep", "values of every run, columns by name, in place of --vary"},
    {"random", "N[,SEED]", "Sweep", "N runs with values drawn from the ranges of --vary (seed 1)"},
    {"columns", "ITEM,ITEM", "Sweep",
     "what the table has of each run: variables (final values), patterns, functionals, NAME=FUNCTIONAL; "
     "repeatable (all variables)"},
    {"trajectories", "NAME,NAME", "Sweep",
     "every run writes these columns over time into a folder of its own; all: all variables (none)"},
    {"sens", "NAME,NAME", "Sweep",
     "columns of sensitivities at the end, d(x)/d(p), to these parameters and start values: names, all, "
     "starts; repeatable (none)"},
    {"jobs", "N", "Sweep", "runs at a time (as many as the machine has processors)"},
};

// Of a run, that have no meaning in a sweep, or another one.
inline constexpr std::string_view kNotForSweeps[] = {"columns", "explain-event", "checkpoint", "resume",
                                                     "sens"};

// Of a run, that have no meaning where numbers of it are asked for.
inline constexpr std::string_view kNotForFunctionals[] = {
    "interval", "columns", "explain-event", "checkpoint", "resume", "sens", "expect-index"};

inline constexpr const char* kTermsFooter =
    "A functional is an expression over numbers, parameters and the terms final(e), integral(e), at_event(k, "
    "e),\n"
    "before_event(k, e) and event_time(k), where e is an expression of the model and k the number of an "
    "instant with events, from 1.\n";

inline constexpr const char* kGradientFooter =
    "Exit codes: 0 there is a value, 1 the run could not start, ended early or has not so many events, 2 "
    "wrong model, functional, options or files, 3 a bug.";

inline constexpr const char* kOptimizeFooter =
    "Exit codes: 0 converged, 1 not converged, constraints that cannot be met, or a model that cannot be run "
    "with the guess, 2 wrong model, functionals, options or files, 3 a bug.";

inline constexpr const char* kSweepFooter =
    "The same command goes on where it was interrupted or killed: finished runs are in sweep.journal.\n"
    "Exit codes: 0 all runs came to their end, 1 some did not (their status is in the table), or the sweep "
    "was "
    "interrupted, 2 wrong model, options or files, 3 a bug.";

}  // namespace saltus::tool
