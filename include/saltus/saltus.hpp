// Everything: models, simulation, results.
#pragma once

#include "saltus/analysis.hpp"
#include "saltus/callback_model.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/error_estimate.hpp"
#include "saltus/event.hpp"
#include "saltus/input_table.hpp"
#include "saltus/linearization.hpp"
#include "saltus/model.hpp"
#include "saltus/model_builder.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/result_files.hpp"
#include "saltus/simulate.hpp"
#include "saltus/simulation.hpp"
#include "saltus/trajectory.hpp"
#include "saltus/version.hpp"
