#include "program/vm/dependence.hpp"

#include <algorithm>
#include <array>

#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

// Of a word, by the type of SetSpace::words.
constexpr std::size_t kBitsOfWord = 64;

// Sets of directions, one for each place of a space.
struct SetSpace {
  std::vector<std::uint64_t> words;
  std::size_t n_words = 0;

  SetSpace(std::size_t n_places, std::size_t n_words_of_one)
      : words(n_places * n_words_of_one, 0), n_words(n_words_of_one) {}
  [[nodiscard]] std::span<std::uint64_t> at(std::ptrdiff_t place) {
    return std::span(words).subspan(static_cast<std::size_t>(place) * n_words, n_words);
  }
};
using Spaces = std::array<SetSpace, kSpaces>;

// As resting() of the tangents.
bool rests(SlabOp op) {
  switch (op) {
    case SlabOp::sign:
    case SlabOp::floor:
    case SlabOp::ceil:
    case SlabOp::truncate:
    case SlabOp::logical_not:
    case SlabOp::less:
    case SlabOp::less_equal:
    case SlabOp::equal:
    case SlabOp::not_equal:
    case SlabOp::logical_and:
    case SlabOp::logical_or: return true;
    default: return false;
  }
}

void unite(std::span<std::uint64_t> set, std::span<const std::uint64_t> other) {
  for (std::size_t w = 0; w < set.size(); ++w) {
    set[w] |= other[w];
  }
}

void run(std::span<const Instruction> code, const std::vector<std::uint32_t>& indices, Spaces& spaces) {
  for (const Instruction& i : code) {
    for (std::uint32_t e = 0; e < i.length; ++e) {
      const std::span<std::uint64_t> set =
          spaces[i.destination.space_index()].at(static_cast<std::ptrdiff_t>(i.destination.offset()) + e);
      std::fill(set.begin(), set.end(), 0);
      if (i.op == SlabOp::gather) {
        unite(set,
              spaces[i.operands[0].space_index()].at(static_cast<std::ptrdiff_t>(i.operands[0].offset()) +
                                                     indices[i.operands[1].code() + e]));
        continue;
      }
      for (int k = i.op == SlabOp::select ? 1 : 0; k < n_operands(i.op) && !rests(i.op); ++k) {
        unite(set,
              spaces[i.operands[k].space_index()].at(static_cast<std::ptrdiff_t>(i.operands[k].offset()) +
                                                     static_cast<std::ptrdiff_t>(e) * i.strides[k]));
      }
    }
  }
}

}  // namespace

std::vector<std::vector<Index>> moving_directions(const SlabProgram& program, std::size_t part,
                                                  std::span<const double> parameters,
                                                  std::size_t n_directions) {
  SALTUS_EXPECT(parameters.size() == program.n_parameters * n_directions, "wrong number of parameters");
  const std::size_t n_words = (n_directions + kBitsOfWord - 1) / kBitsOfWord;
  const std::size_t n_outputs = program.parts[part].n_outputs;
  Spaces spaces{SetSpace(program.n_registers, n_words), SetSpace(program.n_states, n_words),
                SetSpace(n_outputs, n_words), SetSpace(program.n_frozen, n_words)};
  auto& frozen = spaces[static_cast<std::size_t>(Space::frozen)];
  for (std::size_t p = 0; p < program.n_parameters; ++p) {
    for (std::size_t k = 0; k < n_directions; ++k) {
      if (parameters[p * n_directions + k] != 0.0) {
        frozen.at(static_cast<std::ptrdiff_t>(p))[k / kBitsOfWord] |= std::uint64_t{1} << (k % kBitsOfWord);
      }
    }
  }
  run(program.prologue, program.indices, spaces);
  run(program.held_code, program.indices, spaces);
  const Part& range = program.parts[part];
  run(std::span(program.code).subspan(range.begin, range.end - range.begin), program.indices, spaces);
  std::vector<std::vector<Index>> found(n_outputs);
  auto& outputs = spaces[static_cast<std::size_t>(Space::outputs)];
  for (std::size_t i = 0; i < n_outputs; ++i) {
    const std::span<const std::uint64_t> set = outputs.at(static_cast<std::ptrdiff_t>(i));
    for (std::size_t k = 0; k < n_directions; ++k) {
      if ((set[k / kBitsOfWord] >> (k % kBitsOfWord) & 1U) != 0) {
        found[i].push_back(static_cast<Index>(k));
      }
    }
  }
  return found;
}

}  // namespace saltus::program
