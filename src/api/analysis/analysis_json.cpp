#include <string>
#include <string_view>

#include "api/analysis/json_texts.hpp"
#include "base/json_writer.hpp"
#include "saltus/analysis.hpp"

namespace saltus {
namespace {

void put(JsonWriter& json, std::string_view name, const std::optional<int>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void put(JsonWriter& json, std::string_view name, const Matrix& matrix) {
  json.key(name);
  json.begin_array();
  for (const std::vector<double>& row : matrix) {
    json.begin_array();
    for (const double entry : row) {
      json.value(entry);
    }
    json.end_array();
  }
  json.end_array();
}

void put(JsonWriter& json, std::string_view name, const std::vector<Matrix>& matrices) {
  json.key(name);
  json.begin_object();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    put(json, std::to_string(i), matrices[i]);
  }
  json.end_object();
}

void put(JsonWriter& json, const std::vector<DataDerivative>& derivatives) {
  json.key("data_derivatives");
  json.begin_array();
  for (const DataDerivative& derivative : derivatives) {
    json.begin_object();
    json.member("equation", std::string_view(derivative.equation));
    json.member("order", derivative.order);
    json.end_object();
  }
  json.end_array();
}

void put(JsonWriter& json, const std::optional<CompanionForm>& companion) {
  json.key("companion");
  if (!companion) {
    json.null();
    return;
  }
  json.begin_object();
  json.member("index", companion->index);
  json.member("size", static_cast<std::int64_t>(companion->size));
  put(json, companion->data_derivatives);
  json.end_object();
}

void put(JsonWriter& json, const std::optional<MergedForm>& merged) {
  json.key("merged");
  if (!merged) {
    json.null();
    return;
  }
  json.begin_object();
  api::put_texts(json, "rates", merged->rates);
  json.member("equations", static_cast<std::int64_t>(merged->equations));
  json.member("unknowns", static_cast<std::int64_t>(merged->unknowns));
  json.member("index", merged->index);
  json.member("order", merged->order);
  json.member("d2", merged->d2);
  json.member("d1", merged->d1);
  json.member("a", merged->a);
  json.member("u", merged->u);
  json.member("v", merged->v);
  put(json, merged->data_derivatives);
  json.end_object();
}

void put(JsonWriter& json, const ModeProjectors& projectors) {
  json.key("projectors");
  json.begin_object();
  api::put_texts(json, "unknowns", projectors.unknowns);
  json.key("point");
  json.begin_array();
  for (const double value : projectors.point) {
    json.value(value);
  }
  json.end_array();
  api::put_texts(json, "rows", projectors.rows);
  json.member("equations", static_cast<std::int64_t>(projectors.n_equations));
  put(json, "Z1", projectors.z1);
  json.key("Z_between");
  json.begin_object();
  for (std::size_t i = 0; i < projectors.z_between.size(); ++i) {
    put(json, std::to_string(i + 1), projectors.z_between[i]);
  }
  json.end_object();
  put(json, "Z2", projectors.z2);
  put(json, "Z3", projectors.z3);
  put(json, "T2", projectors.t2);
  put(json, "free", projectors.free);
  put(json, "reduced", projectors.reduced);
  json.key("local");
  if (projectors.local) {
    json.begin_object();
    json.member("r", projectors.local->rank);
    json.member("a", projectors.local->algebraic);
    json.member("s", projectors.local->strangeness);
    json.member("d", projectors.local->differential);
    json.member("u", projectors.local->undetermined);
    json.member("v", projectors.local->vanishing);
    json.end_object();
  } else {
    json.null();
  }
  json.member("unclear", projectors.is_unclear);
  json.member("smallest_gap", projectors.smallest_gap);
  json.member("largest_dropped", projectors.largest_dropped);
  json.member("condition", projectors.condition);
  json.end_object();
}

void put(JsonWriter& json, std::string_view name, const std::vector<double>& numbers) {
  json.key(name);
  json.begin_array();
  for (const double number : numbers) {
    json.value(number);
  }
  json.end_array();
}

void put(JsonWriter& json, std::string_view name, const std::vector<int>& numbers) {
  json.key(name);
  json.begin_array();
  for (const int number : numbers) {
    json.value(number);
  }
  json.end_array();
}

void put(JsonWriter& json, const PencilBlocks& blocks) {
  json.member("regular", blocks.is_regular);
  put(json, "index", blocks.index);
  json.key("eigenvalues");
  json.begin_array();
  for (const std::complex<double>& value : blocks.eigenvalues) {
    json.begin_array();
    json.value(value.real());
    json.value(value.imag());
    json.end_array();
  }
  json.end_array();
  put(json, "infinite_blocks", blocks.infinite);
  put(json, "right_minimal_indices", blocks.right);
  put(json, "left_minimal_indices", blocks.left);
  json.member("consistent_dimension", blocks.consistent_dimension);
  put(json, "consistent_projector", blocks.consistent);
  if (blocks.spectral) {
    put(json, "spectral_projector", *blocks.spectral);
  } else {
    json.key("spectral_projector");
    json.null();
  }
}

void put(JsonWriter& json, const ModePencil& pencil) {
  json.key("pencil");
  json.begin_object();
  api::put_texts(json, "unknowns", pencil.unknowns);
  api::put_texts(json, "rows", pencil.rows);
  put(json, "E", pencil.e);
  put(json, "A", pencil.a);
  json.member("constant", pencil.is_constant);
  json.member("clear", pencil.structure.blocks.has_value());
  if (pencil.structure.blocks) {
    put(json, *pencil.structure.blocks);
  } else {
    json.member("doubt", std::string_view(pencil.structure.doubt));
  }
  json.member("tolerance", pencil.structure.tolerance);
  json.key("ranks");
  json.begin_array();
  for (const PencilRank& rank : pencil.structure.ranks) {
    json.begin_object();
    json.member("of", std::string_view(rank.of));
    json.member("step", rank.step);
    json.member("rows", rank.rows);
    json.member("columns", rank.columns);
    json.member("rank", rank.rank);
    json.key("smallest_kept");
    if (rank.rank > 0) {
      json.value(rank.smallest_kept);
    } else {
      json.null();
    }
    json.member("largest_dropped", rank.largest_dropped);
    put(json, "exact_rank", rank.exact_rank);
    json.member("clear", rank.is_clear);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void put(JsonWriter& json, std::string_view name, const std::optional<StructuredEquations>& form) {
  json.key(name);
  if (!form) {
    json.null();
    return;
  }
  json.begin_object();
  put(json, "E", form->e);
  put(json, "A", form->a);
  put(json, "data", form->data);
  put(json, "data_rate", form->data_rate);
  put(json, "unknowns", form->unknowns);
  put(json, "unknowns_rate", form->unknowns_rate);
  json.end_object();
}

void put(JsonWriter& json, const StructuredValues& values) {
  json.begin_object();
  json.member("r", values.rank);
  json.member("a", values.algebraic);
  json.member("s", values.strangeness);
  json.member("d", values.differential);
  json.member("u", values.undetermined);
  json.member("semidefinite", values.is_semidefinite);
  put(json, "index", values.index);
  put(json, "P", values.p);
  put(json, "E", values.condensed_e);
  put(json, "A", values.condensed_a);
  put(json, "local_A", values.local_a);
  put(json, "strangeness_free", values.strangeness_free);
  put(json, "extended", values.extended);
  json.end_object();
}

std::string_view name_of(PairKind kind) {
  return kind == PairKind::symmetric ? "symmetric" : kind == PairKind::self_adjoint ? "self-adjoint" : "none";
}

void put(JsonWriter& json, const ModeStructure& structure) {
  json.key("structure");
  json.begin_object();
  json.member("kind", name_of(structure.kind));
  json.member("order", structure.order);
  json.member("constant", structure.is_constant);
  api::put_texts(json, "unknowns", structure.unknowns);
  api::put_texts(json, "equations", structure.equations);
  put(json, "signs", structure.signs);
  json.key("times");
  json.begin_array();
  for (const double time : structure.times) {
    json.value(time);
  }
  json.end_array();
  json.member("reason", std::string_view(structure.reason));
  json.key("values");
  if (structure.values) {
    put(json, *structure.values);
  } else {
    json.null();
  }
  json.end_object();
}

void put(JsonWriter& json, const ModeControl& control) {
  json.key("control");
  json.begin_object();
  api::put_texts(json, "states", control.states);
  put(json, "point", control.point);
  api::put_texts(json, "positions", control.positions);
  api::put_texts(json, "velocities", control.velocities);
  api::put_texts(json, "constraints", control.constraints);
  put(json, "differentiations", control.differentiations);
  api::put_texts(json, "multipliers", control.multipliers);
  json.member("paired", control.is_paired);
  api::put_texts(json, "motion", control.motion);
  put(json, "M", control.mass);
  put(json, "f", control.drift);
  put(json, "B", control.input);
  put(json, "J", control.jacobian);
  put(json, "GB", control.gain);
  put(json, "u", control.control);
  json.end_object();
}

}  // namespace

std::string render_json(const Analysis& analysis) {
  JsonWriter json;
  json.begin_object();
  json.member("time", analysis.time);
  json.key("modes");
  json.begin_array();
  for (const ModeAnalysis& mode : analysis.modes) {
    json.begin_object();
    json.member("name", std::string_view(mode.name));
    json.member("equations", static_cast<std::int64_t>(mode.equations));
    json.member("unknowns", static_cast<std::int64_t>(mode.unknowns));
    put(json, "index", mode.index);
    put(json, "differentiation_index", mode.differentiation_index);
    json.member("d", mode.d);
    json.member("d2", mode.d2);
    json.member("d1", mode.d1);
    json.member("a", mode.a);
    json.member("u", mode.u);
    json.member("v", mode.v);
    json.member("linear", mode.is_linear);
    api::put_texts(json, "states", mode.states);
    api::put_texts(json, "hidden_constraints", mode.hidden_constraints);
    api::put_texts(json, "undetermined", mode.undetermined);
    put(json, "structural_index", mode.structural_index);
    json.member("dof", mode.degrees_of_freedom);
    if (mode.data_derivatives) {
      put(json, *mode.data_derivatives);
    } else {
      json.key("data_derivatives");
      json.null();
    }
    put(json, mode.companion);
    put(json, mode.merged);
    if (mode.projectors) {
      put(json, *mode.projectors);
    }
    if (mode.pencil) {
      put(json, *mode.pencil);
    }
    if (mode.structure) {
      put(json, *mode.structure);
    }
    if (mode.control) {
      put(json, *mode.control);
    }
    json.member("reduction", std::string_view(mode.by_structure ? "structural" : "ranks"));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace saltus
