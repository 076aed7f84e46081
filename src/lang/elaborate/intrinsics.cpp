#include "lang/elaborate/intrinsics.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace saltus::lang {
namespace {

using expr::Op;
constexpr int kMany = 1'000'000;

constexpr std::array kIntrinsics = {
    IntrinsicInfo{"abs", Intrinsic::abs},
    IntrinsicInfo{"acos", Intrinsic::elementary, Op::acos},
    IntrinsicInfo{"asin", Intrinsic::elementary, Op::asin},
    IntrinsicInfo{"assert", Intrinsic::assert, Op::constant, 2, 3},
    IntrinsicInfo{"atan", Intrinsic::elementary, Op::atan},
    IntrinsicInfo{"atan2", Intrinsic::atan2, Op::constant, 2, 2},
    IntrinsicInfo{"cardinality", Intrinsic::refused},
    IntrinsicInfo{"cat", Intrinsic::cat, Op::constant, 2, kMany},
    IntrinsicInfo{"ceil", Intrinsic::ceil},
    IntrinsicInfo{"change", Intrinsic::change},
    IntrinsicInfo{"contact", Intrinsic::contact, Op::constant, 2, 3},
    IntrinsicInfo{"cos", Intrinsic::elementary, Op::cos},
    IntrinsicInfo{"cosh", Intrinsic::elementary, Op::cosh},
    IntrinsicInfo{"cross", Intrinsic::cross, Op::constant, 2, 2},
    IntrinsicInfo{"delay", Intrinsic::refused},
    IntrinsicInfo{"der", Intrinsic::der},
    IntrinsicInfo{"diagonal", Intrinsic::diagonal},
    IntrinsicInfo{"direction", Intrinsic::direction, Op::constant, 1, 2},
    IntrinsicInfo{"div", Intrinsic::div, Op::constant, 2, 2},
    IntrinsicInfo{"edge", Intrinsic::edge},
    IntrinsicInfo{"exp", Intrinsic::elementary, Op::exp},
    IntrinsicInfo{"fill", Intrinsic::fill, Op::constant, 2, kMany},
    IntrinsicInfo{"floor", Intrinsic::floor},
    IntrinsicInfo{"homotopy", Intrinsic::homotopy, Op::constant, 2, 2},
    IntrinsicInfo{"identity", Intrinsic::identity},
    IntrinsicInfo{"initial", Intrinsic::initial, Op::constant, 0, 0},
    IntrinsicInfo{"integer", Intrinsic::integer},
    IntrinsicInfo{"interpolate", Intrinsic::interpolate, Op::constant, 2, kMany},
    IntrinsicInfo{"linspace", Intrinsic::linspace, Op::constant, 3, 3},
    IntrinsicInfo{"log", Intrinsic::elementary, Op::log},
    IntrinsicInfo{"log10", Intrinsic::elementary, Op::log10},
    IntrinsicInfo{"matrix", Intrinsic::matrix},
    IntrinsicInfo{"max", Intrinsic::max, Op::constant, 1, 2},
    IntrinsicInfo{"min", Intrinsic::min, Op::constant, 1, 2},
    IntrinsicInfo{"mod", Intrinsic::mod, Op::constant, 2, 2},
    IntrinsicInfo{"ndims", Intrinsic::ndims},
    IntrinsicInfo{"noEvent", Intrinsic::no_event},
    IntrinsicInfo{"ones", Intrinsic::ones, Op::constant, 1, kMany},
    IntrinsicInfo{"outerProduct", Intrinsic::outer_product, Op::constant, 2, 2},
    IntrinsicInfo{"pre", Intrinsic::pre},
    IntrinsicInfo{"product", Intrinsic::product},
    IntrinsicInfo{"reinit", Intrinsic::reinit, Op::constant, 2, 2},
    IntrinsicInfo{"rem", Intrinsic::rem, Op::constant, 2, 2},
    IntrinsicInfo{"sample", Intrinsic::sample, Op::constant, 2, 2},
    IntrinsicInfo{"scalar", Intrinsic::scalar},
    IntrinsicInfo{"semiLinear", Intrinsic::refused},
    IntrinsicInfo{"sign", Intrinsic::sign},
    IntrinsicInfo{"sin", Intrinsic::elementary, Op::sin},
    IntrinsicInfo{"sinh", Intrinsic::elementary, Op::sinh},
    IntrinsicInfo{"size", Intrinsic::size, Op::constant, 1, 2},
    IntrinsicInfo{"skew", Intrinsic::skew},
    IntrinsicInfo{"smooth", Intrinsic::smooth, Op::constant, 2, 2},
    IntrinsicInfo{"spatialDistribution", Intrinsic::refused},
    IntrinsicInfo{"sqrt", Intrinsic::elementary, Op::sqrt},
    IntrinsicInfo{"sum", Intrinsic::sum},
    IntrinsicInfo{"tan", Intrinsic::elementary, Op::tan},
    IntrinsicInfo{"tanh", Intrinsic::elementary, Op::tanh},
    IntrinsicInfo{"terminal", Intrinsic::terminal, Op::constant, 0, 0},
    IntrinsicInfo{"terminate", Intrinsic::terminate},
    IntrinsicInfo{"transpose", Intrinsic::transpose},
    IntrinsicInfo{"vector", Intrinsic::vector},
    IntrinsicInfo{"zeros", Intrinsic::zeros, Op::constant, 1, kMany},
};

/// Mathematical values to the last digit of a double; physical ones are those of the 2019 SI (CODATA 2018).
constexpr std::array kConstants = {
    std::pair<std::string_view, double>{"pi", 3.14159265358979323846},
    std::pair<std::string_view, double>{"e", 2.71828182845904523536},
    std::pair<std::string_view, double>{"D2R", 0.0174532925199432957692},
    std::pair<std::string_view, double>{"R2D", 57.2957795130823208768},
    std::pair<std::string_view, double>{"gamma", 0.57721566490153286061},
    std::pair<std::string_view, double>{"eps", std::numeric_limits<double>::epsilon()},
    std::pair<std::string_view, double>{"small", std::numeric_limits<double>::min()},
    std::pair<std::string_view, double>{"inf", std::numeric_limits<double>::max()},
    std::pair<std::string_view, double>{"c", 299792458.0},
    std::pair<std::string_view, double>{"g_n", 9.80665},
    std::pair<std::string_view, double>{"G", 6.67430e-11},
    std::pair<std::string_view, double>{"F", 96485.33212},
    std::pair<std::string_view, double>{"h", 6.62607015e-34},
    std::pair<std::string_view, double>{"k", 1.380649e-23},
    std::pair<std::string_view, double>{"R", 8.31446261815324},
    std::pair<std::string_view, double>{"sigma", 5.670374419e-8},
    std::pair<std::string_view, double>{"N_A", 6.02214076e23},
    std::pair<std::string_view, double>{"q", 1.602176634e-19},
    std::pair<std::string_view, double>{"mu_0", 1.25663706212e-6},
    std::pair<std::string_view, double>{"epsilon_0", 8.8541878128e-12},
    std::pair<std::string_view, double>{"T_zero", -273.15},
};

}  // namespace

const IntrinsicInfo* find_intrinsic(std::string_view name) {
  const auto place =
      std::lower_bound(kIntrinsics.begin(), kIntrinsics.end(), name,
                       [](const IntrinsicInfo& info, std::string_view key) { return info.name < key; });
  return place != kIntrinsics.end() && place->name == name ? &*place : nullptr;
}

const double* find_named_constant(std::string_view name) {
  constexpr std::string_view kPackage = "Modelica.Constants.";
  if (name.substr(0, kPackage.size()) != kPackage) {
    return nullptr;
  }
  name.remove_prefix(kPackage.size());
  const auto place =
      std::find_if(kConstants.begin(), kConstants.end(), [&](const auto& c) { return c.first == name; });
  return place == kConstants.end() ? nullptr : &place->second;
}

}  // namespace saltus::lang
