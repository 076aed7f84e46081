#include "program/vm/slab_emitter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "program/vm/register_pool.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

// A gather moves an element in about the time a dispatch takes per four: below this average length of runs it
// pays.
constexpr std::size_t kShortRun = 4;
// Slabs shorter than this stay cut in runs.
constexpr std::size_t kShortSlab = 8;

// Locations of one operand (or the destination) of the elements of a slab, in its order.
using Stream = std::vector<Location>;

// Stride from element k to k+1; none across memory spaces.
constexpr std::int64_t kNoStride = INT64_MAX;
std::int64_t stride_at(const Stream& stream, std::size_t k) {
  if (stream[k].space() != stream[k + 1].space()) {
    return kNoStride;
  }
  return static_cast<std::int64_t>(stream[k + 1].offset()) - static_cast<std::int64_t>(stream[k].offset());
}

Form form_of(const Instruction& instruction) {
  if (instruction.length == 1) {
    return Form::scalar;
  }
  const int n = n_operands(instruction.op);
  const auto& s = instruction.strides;
  bool contiguous = true;
  for (int k = 0; k < n; ++k) {
    contiguous = contiguous && s[k] == 1;
  }
  if (contiguous) {
    return Form::contiguous;
  }
  if (n == 2 && s[0] == 0 && s[1] == 1) {
    return Form::left_broadcast;
  }
  return n == 2 && s[0] == 1 && s[1] == 0 ? Form::right_broadcast : Form::strided;
}

class Emitter {
 public:
  Emitter(ItemList list, const ProgramRequest& request)
      : items_(std::move(list.items)), segments_(std::move(list.segments)), pool_(request.n_inputs) {
    program_.n_states = request.n_states;
    program_.n_inputs = request.n_inputs;
    program_.n_parameters = request.n_parameters;
    program_.n_frozen = request.n_parameters;
    n_outputs_.reserve(request.parts.size());
    for (const PartRequest& part : request.parts) {
      n_outputs_.push_back(static_cast<std::uint32_t>(part.roots.size()));
    }
  }

  SlabProgram run() {
    for (std::uint32_t segment = 0; segment < segments_.size(); ++segment) {
      emit_segment(segment);
    }
    program_.n_registers = pool_.size();
    SALTUS_EXPECT(program_.n_registers <= Location::kMaxOffset && program_.n_frozen <= Location::kMaxOffset,
                  "the program needs more registers than it can name");
    return std::move(program_);
  }

 private:
  struct Group {
    std::uint32_t base = 0;
    std::uint32_t length = 0;
    std::uint32_t uses = 0;
    std::uint32_t segment = 0;
  };

  void emit_segment(std::uint32_t segment) {
    segment_ = segment;
    const auto begin = static_cast<std::uint32_t>(program_.code.size());
    code_ = segment == kPrologueSegment ? &program_.prologue
            : segment == kHeldSegment   ? &program_.held_code
                                        : &program_.code;
    std::uint32_t strip_begin = 0;
    for (const std::uint32_t strip_end : segments_[segment].strip_ends) {
      emit_strip(std::span(segments_[segment].items).subspan(strip_begin, strip_end - strip_begin));
      strip_begin = strip_end;
    }
    for (const std::uint32_t group : deferred_) {
      pool_.give_back(groups_[group].base, groups_[group].length);
    }
    deferred_.clear();
    if (segment >= kFirstPartSegment) {
      const std::uint32_t part = segment - kFirstPartSegment;
      const bool is_main = part % 2 == 1;
      program_.parts.push_back(
          {begin, static_cast<std::uint32_t>(program_.code.size()), is_main ? n_outputs_[part / 2] : 0U});
    }
  }

  // Groups: equal depth, shape and operation; by creation inside a group.
  void emit_strip(std::span<std::uint32_t> strip) {
    sorted_.clear();
    for (const std::uint32_t i : strip) {
      sorted_.push_back({items_[i].depth, items_[i].op, items_[i].shape, items_[i].node, i});
    }
    std::ranges::sort(sorted_);
    for (std::size_t begin = 0; begin < sorted_.size();) {
      std::size_t end = begin + 1;
      while (end < sorted_.size() && sorted_[end].depth == sorted_[begin].depth &&
             sorted_[end].op == sorted_[begin].op && sorted_[end].shape == sorted_[begin].shape &&
             items_[sorted_[end].item].immediate == items_[sorted_[begin].item].immediate) {
        ++end;
      }
      slab_.clear();
      for (std::size_t k = begin; k < end; ++k) {
        slab_.push_back(sorted_[k].item);
      }
      emit_slab();
      begin = end;
    }
  }

  void emit_slab() {
    const SlabOp op = items_[slab_.front()].op;
    const int n = n_operands(op);
    choose_order(n);
    place_slab();
    runs_ = cut_in_runs(n);
    std::array<std::uint32_t, 3> temporary = {kNoIndex, kNoIndex, kNoIndex};
    if (slab_.size() >= kShortSlab && slab_.size() / runs_.size() < kShortRun) {
      for (int k = 0; k < n; ++k) {
        temporary[static_cast<std::size_t>(k)] = gather_operand(k);
      }
      runs_ = cut_in_runs(n);
    }
    for (const Run& run : runs_) {
      emit_run(op, n, run);
    }
    for (const std::uint32_t base : temporary) {
      if (base != kNoIndex) {
        pool_.give_back(base, static_cast<std::uint32_t>(slab_.size()));
      }
    }
    release_operands(n);
  }

  // Creation order suits most loops. Where it does not give one run, the order of the outputs and the order
  // of the operands in memory are tried, and the one with the fewest runs is kept.
  void choose_order(int n) {
    load_streams(n);
    if (slab_.size() == 1) {
      return;
    }
    std::size_t fewest = cut_in_runs(n).size();
    const std::vector<std::uint32_t> by_creation = slab_;
    std::vector<std::uint32_t> best = slab_;
    const auto try_order = [&](auto less) {
      if (fewest == 1) {
        return;
      }
      slab_ = by_creation;
      std::ranges::stable_sort(slab_, less);
      load_streams(n);
      const std::size_t count = cut_in_runs(n).size();
      if (count < fewest) {
        fewest = count;
        best = slab_;
      }
    };
    if (items_[slab_.front()].output != kNoIndex) {
      try_order([this](std::uint32_t a, std::uint32_t b) { return items_[a].output < items_[b].output; });
    }
    try_order([this, n](std::uint32_t a, std::uint32_t b) { return operands_before(a, b, n); });
    slab_ = best;
    load_streams(n);
  }

  [[nodiscard]] bool operands_before(std::uint32_t a, std::uint32_t b, int n) const {
    for (int k = 0; k < n; ++k) {
      const std::uint32_t code_a = items_[items_[a].operands[k]].location.code();
      const std::uint32_t code_b = items_[items_[b].operands[k]].location.code();
      if (code_a != code_b) {
        return code_a < code_b;
      }
    }
    return false;
  }

  // Where the operands are, and where the results will be as far as that depends on the order: outputs are at
  // their places, the others follow each other.
  void load_streams(int n) {
    for (int k = 0; k < n; ++k) {
      Stream& stream = operand_[static_cast<std::size_t>(k)];
      stream.clear();
      for (const std::uint32_t i : slab_) {
        stream.push_back(location_of(items_[i].operands[k]));
      }
    }
    destination_.clear();
    std::uint32_t n_registers = 0;
    for (const std::uint32_t i : slab_) {
      destination_.push_back(items_[i].output != kNoIndex ? Location(Space::outputs, items_[i].output)
                                                          : Location(Space::registers, n_registers++));
    }
  }

  Location location_of(std::uint32_t index) {
    Item& item = items_[index];
    if (item.kind == Item::Kind::constant && item.location.space() != Space::frozen) {
      item.location = Location(Space::frozen, program_.n_frozen);
      program_.constants.push_back({program_.n_frozen++, item.value});
    }
    return item.location;
  }

  void place_slab() {
    Group group{.segment = segment_};
    for (const std::uint32_t i : slab_) {
      if (items_[i].output == kNoIndex) {
        group.length += 1;
        group.uses += items_[i].uses;
      }
    }
    const Space space = segment_ == kPrologueSegment ? Space::frozen : Space::registers;
    if (segment_ == kPrologueSegment) {
      group.base = std::exchange(program_.n_frozen, program_.n_frozen + group.length);
    } else if (group.length > 0) {
      group.base = pool_.take(group.length);
    }
    for (std::size_t k = 0; k < slab_.size(); ++k) {
      Item& item = items_[slab_[k]];
      if (item.output != kNoIndex) {
        item.location = destination_[k];
      } else {
        item.location = Location(space, group.base + destination_[k].offset());
        item.group = static_cast<std::uint32_t>(groups_.size());
        destination_[k] = item.location;
      }
    }
    groups_.push_back(group);
  }

  struct Run {
    std::size_t begin = 0;
    std::size_t length = 1;
  };

  // Maximal runs in which the destination advances by one and every operand by a constant stride.
  std::vector<Run> cut_in_runs(int n) const {
    std::vector<Run> runs;
    const std::size_t size = slab_.size();
    for (std::size_t begin = 0; begin < size;) {
      std::size_t end = begin + 1;
      if (end < size && extends(n, begin, begin) && !better_alone(n, begin)) {
        end += 1;
        while (end < size && extends(n, begin, end - 1)) {
          ++end;
        }
      }
      runs.push_back({begin, end - begin});
      begin = end;
    }
    return runs;
  }

  // Does element k+1 continue the run that starts at `begin` (and has the strides of its first two elements)?
  [[nodiscard]] bool extends(int n, std::size_t begin, std::size_t k) const {
    if (stride_at(destination_, k) != 1) {
      return false;
    }
    for (int j = 0; j < n; ++j) {
      const Stream& stream = operand_[static_cast<std::size_t>(j)];
      const std::int64_t stride = stride_at(stream, k);
      if (stride == kNoStride || stride != stride_at(stream, begin)) {
        return false;
      }
    }
    return true;
  }

  // A first element that differs from a long run behind it must not take the run's first element with it.
  [[nodiscard]] bool better_alone(int n, std::size_t begin) const {
    return begin + 3 < slab_.size() && !extends(n, begin, begin + 1) && extends(n, begin + 1, begin + 2);
  }

  // Replaces operand k, if it has no runs, by a contiguous copy; the temporary range, or kNoIndex when there
  // is none.
  std::uint32_t gather_operand(int k) {
    Stream& stream = operand_[static_cast<std::size_t>(k)];
    std::size_t n_runs = 1;
    bool one_space = true;
    for (std::size_t i = 0; i + 1 < stream.size(); ++i) {
      one_space = one_space && stream[i].space() == stream[0].space();
      n_runs += i > 0 && stride_at(stream, i) != stride_at(stream, i - 1) ? 1U : 0U;
    }
    one_space = one_space && stream.back().space() == stream[0].space();
    if (!one_space || slab_.size() / n_runs >= kShortRun) {
      return kNoIndex;
    }
    const auto length = static_cast<std::uint32_t>(slab_.size());
    const Space source = stream[0].space();
    const bool in_prologue = source == Space::frozen;
    Instruction gather{.op = SlabOp::gather, .length = length};
    gather.choose(Form::strided);
    gather.operands[0] = Location(source, 0);
    gather.operands[1] = operand_from_bits(static_cast<std::uint32_t>(program_.indices.size()));
    for (const Location location : stream) {
      program_.indices.push_back(location.offset());
    }
    const std::uint32_t base =
        in_prologue ? std::exchange(program_.n_frozen, program_.n_frozen + length) : pool_.take(length);
    gather.destination = Location(in_prologue ? Space::frozen : Space::registers, base);
    for (std::uint32_t i = 0; i < length; ++i) {
      stream[i] = Location(gather.destination.space(), base + i);
    }
    (in_prologue ? program_.prologue : *code_).push_back(gather);
    return in_prologue ? kNoIndex : base;
  }

  void emit_run(SlabOp op, int n, const Run& run) {
    Instruction instruction{.op = op, .length = static_cast<std::uint32_t>(run.length)};
    instruction.destination = destination_[run.begin];
    for (int k = 0; k < n; ++k) {
      const Stream& stream = operand_[static_cast<std::size_t>(k)];
      instruction.operands[k] = stream[run.begin];
      instruction.strides[k] = run.length > 1 ? static_cast<std::int32_t>(stride_at(stream, run.begin)) : 0;
    }
    if (op == SlabOp::power_integer) {
      instruction.operands[1] =
          operand_from_bits(std::bit_cast<std::uint32_t>(items_[slab_.front()].immediate));
    }
    instruction.choose(form_of(instruction));
    code_->push_back(instruction);
  }

  // Registers come back with their last use. Those that an iterated part reads from before it must survive
  // until its last repetition, those of the held code from run to run.
  void release_operands(int n) {
    for (const std::uint32_t i : slab_) {
      for (int k = 0; k < n; ++k) {
        const std::uint32_t group = items_[items_[i].operands[k]].group;
        if (group == kNoIndex || groups_[group].segment < kFirstPartSegment) {
          continue;
        }
        if (--groups_[group].uses == 0) {
          if (segments_[segment_].iterated && groups_[group].segment != segment_) {
            deferred_.push_back(group);
          } else {
            pool_.give_back(groups_[group].base, groups_[group].length);
          }
        }
      }
    }
  }

  struct Sorted {
    std::uint32_t depth;
    SlabOp op;
    std::uint64_t shape;
    std::uint32_t node;
    std::uint32_t item;
    friend auto operator<=>(const Sorted&, const Sorted&) = default;
  };

  std::vector<Item> items_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> n_outputs_;
  SlabProgram program_;
  RegisterPool pool_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> deferred_;
  std::uint32_t segment_ = 0;
  std::vector<Instruction>* code_ = nullptr;  // of the segment
  std::vector<Sorted> sorted_;
  std::vector<std::uint32_t> slab_;
  std::array<Stream, 3> operand_;
  Stream destination_;
  std::vector<Run> runs_;
};

}  // namespace

SlabProgram emit_program(ItemList list, const ProgramRequest& request) {
  return Emitter(std::move(list), request).run();
}

}  // namespace saltus::program
