// What a RunRecorder remembers (base/archive.hpp).
#include "api/results/run_recorder.hpp"
#include "settle/sliding/row_evaluator.hpp"

namespace saltus::api {
namespace {

void span_fields(Archive& a, std::optional<SourceSpan>& span) {
  bool is_there = span.has_value();
  SourceSpan place = span.value_or(SourceSpan{});
  a(is_there, place.offset, place.length);
  span = is_there ? std::optional(place) : std::nullopt;
}

void diagnostics_fields(Archive& a, Diagnostics& list) {
  std::uint64_t n_items = list.items().size();
  a(n_items);
  Diagnostics loaded(list.source());
  for (std::uint64_t k = 0; k < n_items && a.ok(); ++k) {
    Diagnostic item = a.is_loading() ? Diagnostic{} : list.items()[k];
    std::uint64_t n_notes = item.notes.size();
    a(item.code, item.severity, item.message, item.hint, n_notes);
    span_fields(a, item.span);
    for (std::uint64_t i = 0; i < n_notes && a.ok(); ++i) {
      if (i == item.notes.size()) {
        item.notes.emplace_back();
      }
      a(item.notes[i].message);
      span_fields(a, item.notes[i].span);
    }
    if (a.is_loading()) {
      Diagnostic& added =
          loaded.add(item.severity, DiagnosticCode{item.code}, item.message, item.span, item.hint);
      added.notes = std::move(item.notes);
    }
  }
  if (a.is_loading() && a.ok()) {
    list = std::move(loaded);
  }
}

}  // namespace

// Evaluators of rows, in the order in which they were made.
void RunRecorder::own_fields(Archive& a) {
  std::uint64_t n_own = own_.size();
  a(n_own);
  for (std::uint64_t k = 0; k < n_own && a.ok(); ++k) {
    system::StructureId structure = k < own_.size() ? own_[k].structure : system::StructureId{};
    bool has_extra = k < own_.size() && own_[k].extra != nullptr;
    instance_.system->structure_fields(a, structure);
    a(has_extra);
    if (!a.ok()) {
      return;
    }
    if (k == own_.size()) {
      auto locked = instance_.system->lock(structure);
      if (!locked) {
        a.refuse("a mode cannot be entered again");
        return;
      }
      OwnEvaluator own{structure, *std::move(locked), nullptr, nullptr};
      own.evaluator = settle::make_row_evaluator(*instance_.system, *own.locked, initial_.guess);
      own.extra =
          has_extra ? settle::make_row_evaluator(*instance_.system, *own.locked, initial_.guess) : nullptr;
      own_.push_back(std::move(own));
    }
    a.know(*own_[k].evaluator);
    a(own_[k].evaluator);
    if (has_extra) {
      a.know(*own_[k].extra);
      a(own_[k].extra);
    }
  }
}

void RunRecorder::sliding_extra_fields(Archive& a) {
  bool is_there = sliding_extra_ != nullptr;
  a(is_there, slide_.configuration, slide_.surfaces, slide_.level);
  if (!is_there || !a.ok()) {
    return;
  }
  if (a.is_loading()) {
    sliding_extra_ = hybrid::make_stretch_evaluator(*instance_.system, settings_.events, slide_.configuration,
                                                    slide_.surfaces, slide_.level, initial_.guess);
    if (sliding_extra_ == nullptr) {
      a.refuse("a slide cannot be evaluated again");
      return;
    }
  }
  a.know(*sliding_extra_);
  a(sliding_extra_);
}

void RunRecorder::fields(Archive& a) {
  // Not saved: point_, rounds_, between_steps_; of stretches that are over last_sliding_extra_, extra_at_begin_; of the end is_concluding_, is_within_step_,
  // is_cut_within_step_, ending_; first_structure_; chosen_; expects_sensitivities_, has_held_event_, scales_: a run with sensitivities
  // is not saved.
  diagnostics_fields(a, result_.diagnostics);
  diagnostics_fields(a, warnings_);
  if (hooks_.keep_rows || hooks_.keep_dense) {
    a(*data_);
  }
  a(*log_, range_check_, index_check_, timeline_, constraints_, mode_names_);
  own_fields(a);
  sliding_extra_fields(a);
  rows_.fields(a, mode_names_);
  a(is_first_system_, is_sliding_, follows_, has_begun_, t_);
  a.list(x_);
  a(values_, is_at_instant_, last_row_, n_steps_, cut_time_);
  if (a.is_loading() && a.ok() && !last_row_.empty() && last_row_.size() != result_.columns.size()) {
    a.refuse("the last step of a run does not fit");
  }
}

}  // namespace saltus::api
