// What a SlidingField remembers (base/archive.hpp).
#include <algorithm>
#include <cmath>

#include "slide/field/sliding_field.hpp"

namespace saltus::slide {

// Forms are made anew by what they are of; runners have nothing but scratch memory.
void SlidingField::form_fields(Archive& a) {
  std::uint64_t n_forms = forms_.size();
  a(n_forms);
  if (a.is_loading()) {
    forms_.clear();
  }
  for (std::uint64_t k = 0; k < n_forms && a.ok(); ++k) {
    bool is_blend = !a.is_loading() && forms_[k].blend != nullptr;
    std::vector<Index> surfaces;
    double level = 0.0;
    if (!a.is_loading() && is_blend) {
      for (const SlidingForm::Surface& surface : forms_[k].blend->surfaces()) {
        surfaces.push_back(surface.row.guard);
      }
    } else if (!a.is_loading()) {
      surfaces.push_back(forms_[k].combination->surface().guard);
      level = forms_[k].combination->level();
    }
    a(is_blend, surfaces, level);
    if (a.is_loading()) {
      FormInUse made = a.ok() && !surfaces.empty() ? make_form(is_blend, surfaces, level) : FormInUse{};
      if (made.runner == nullptr) {
        a.refuse("the equations of a slide cannot be had");
        return;
      }
      forms_.push_back(std::move(made));
    }
    const FormInUse& form = forms_[k];
    a.know(form.blend != nullptr ? std::shared_ptr<const system::EquationSet>(form.blend)
                                 : std::shared_ptr<const system::EquationSet>(form.combination));
  }
}

void SlidingField::stack_fields(Archive& a) {
  bool has_stack = stack_ != nullptr;
  bool has_stack_of_sides = stack_of_sides_ != nullptr;
  int active = active_stack_ == nullptr ? 0 : active_stack_ == stack_.get() ? 1 : 2;
  a(has_stack, has_stack_of_sides, active);
  if (a.is_loading() && a.ok()) {
    if ((has_stack || has_stack_of_sides) && blocks_.empty()) {
      a.refuse("constraints of a slide do not fit");
      return;
    }
    stack_ = has_stack ? make_stack(false) : nullptr;
    stack_of_sides_ = has_stack_of_sides ? make_stack(true) : nullptr;
    active_stack_ = active == 0 ? nullptr : active == 1 ? stack_.get() : stack_of_sides_.get();
  }
  a(stack_, stack_of_sides_, constraints_depend_, stack_has_begun_);
}

// Whether what was loaded has the sizes that surfaces and states give it.
bool SlidingField::fits() const {
  const std::size_t k = n_surfaces();
  const auto has = [](std::size_t size) { return [size](const auto& list) { return list.size() >= size; }; };
  const auto all = [](const auto& is_long_enough, const auto&... lists) {
    return (is_long_enough(lists) && ...);
  };
  const bool are_guards = std::all_of(surfaces_.begin(), surfaces_.end(), [this](Index surface) {
    return surface >= 0 && static_cast<std::size_t>(surface) < infos_.size();
  });
  const bool are_rows =
      std::all_of(held_rows_.begin(), held_rows_.end(), [k](std::size_t row) { return row < k; });
  return are_guards && are_rows &&
         all(has(k), weights_, is_algebraic_, values_, residual_, residual_scale_, correction_, entry_size_,
             force_plus_, force_minus_, noise_plus_, noise_minus_) &&
         all(has(k * n_), gradients_) && all(has(k * k), jacobian_) &&
         (k == 0 ||
          all(has(n_), field_plus_, field_minus_, point_, scratch_, column_, from_, along_, moved_));
}

// What it asks the inner evaluators for is theirs to save: they are loaded after this.
void SlidingField::fields(Archive& a) {
  // Not saved: minus_, n_, infos_, metric_, all_states_, parts_, variable_of_state_, blocks_, block_sides_, locked_.
  a(surfaces_, level_, weights_, kept_weights_, weight_noise_, rule_, combines_sides_, surface_of_part_,
    inner_evaluations_, is_algebraic_, algebraic_known_, held_guards_, held_rows_);
  stack_fields(a);
  form_fields(a);
  a(followers_, followers_known_, following_rate_, probe_, tangents_, ahead_, behind_, weights_before_,
    weights_here_, form_known_, has_form_, begin_time_, begin_point_, side_point_);
  a(gradients_, values_, residual_, residual_scale_, correction_, entry_size_, jacobian_, kept_jacobian_,
    field_scale_, jacobian_known_, factorized_, kept_jacobian_known_, solver_, projector_, field_plus_,
    field_minus_, force_plus_, force_minus_, noise_plus_, noise_minus_, point_, scratch_, spread_, column_,
    from_, along_, moved_, other_values_, block_values_);
  if (a.is_loading() && a.ok() && !fits()) {
    a.refuse("what is slid on does not fit");
  }
  if (a.is_loading() && a.ok()) {
    rows_.resize(surfaces_.size());
    find_rows();
  }
  for (Row& row : rows_) {
    a(row.time_derivative);  // the rest is that of the guards
  }
  std::uint64_t n_dependents = dependents_.size();
  a(n_dependents);
  if (a.is_loading() && a.ok()) {
    dependents_.resize(std::min<std::uint64_t>(n_dependents, infos_.size() + 1));
  }
  for (Dependents& dependents : dependents_) {
    a(dependents.surface, dependents.guards);
  }
  a(is_dependent_, known_times_, known_states_, known_weights_, n_known_, next_known_);
}

}  // namespace saltus::slide
