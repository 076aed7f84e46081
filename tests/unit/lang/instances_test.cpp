// Classes of libraries, parameters that decide, places of what is wrong: what the corpus of flat models cannot show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "lang/compile.hpp"
#include "lang/instance/flat_writer.hpp"
#include "lang/instance/known_value.hpp"

namespace saltus::lang {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Folders and files in memory; notes what was read.
class MemoryLibrary final : public ClassLibrary {
 public:
  explicit MemoryLibrary(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  [[nodiscard]] std::optional<Unit> find(const std::string& folder, const std::string& name) const override {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    for (const bool is_folder : {true, false}) {
      const std::string file = path + (is_folder ? "/package.mo" : ".mo");
      const auto found = files_.find(file);
      if (found != files_.end()) {
        read.insert(file);
        return Unit{file, found->second, is_folder ? path : std::string(), {}};
      }
    }
    return std::nullopt;
  }
  mutable std::set<std::string> read;

 private:
  std::map<std::string, std::string> files_;
};

Result<Compiled> compiled(const std::string& text, const CompileOptions& options = {}) {
  return compile(std::make_shared<const SourceText>("main.mo", text), options);
}

std::string flat_of(const std::string& text, const CompileOptions& options = {}) {
  const Result<Compiled> result = compiled(text, options);
  return result ? std::string(result->model.source->text()) : render_text(result.error());
}

TEST(Libraries, AreReadClassByClass) {
  const auto library = std::make_shared<const MemoryLibrary>(std::map<std::string, std::string>{
      {"L/package.mo", "package L\n  constant Real k = 2;\nend L;\n"},
      {"L/A.mo", "within L;\nmodel A\n  Real x = k;\n  Sub.B b;\nend A;\n"},
      {"L/Unused.mo", "within L;\nmodel Unused wrong\n"},
      {"L/Sub/package.mo", "within L;\npackage Sub\n  model B\n    Real y = 1;\n  end B;\nend Sub;\n"}});
  CompileOptions options;
  options.library = library;
  EXPECT_THAT(flat_of("model M\n  L.A a;\nend M;\n", options),
              AllOf(HasSubstr("Real 'a.x' = 'L.k';"), HasSubstr("Real 'a.b.y' = 1;")));
  EXPECT_THAT(library->read, ElementsAre("L/A.mo", "L/Sub/package.mo", "L/package.mo"));
  options.model = "L.Sub.B";
  EXPECT_THAT(flat_of("", options), HasSubstr("model 'L.Sub.B'"));
}

TEST(Libraries, TheTextThatIsRunGoesBeforeThem) {
  CompileOptions options;
  options.library = std::make_shared<const MemoryLibrary>(
      std::map<std::string, std::string>{{"L/package.mo", "package L\nend L;\n"},
                                         {"L/A.mo", "within L;\nmodel A\n  Real x = 1;\nend A;\n"},
                                         {"L/B.mo", "within L;\nmodel B\n  A a;\nend B;\n"}});
  EXPECT_THAT(flat_of("within L;\nmodel A\n  Real x = 2;\nend A;\nmodel M\n  B b;\nend M;\n", options),
              HasSubstr("Real 'b.a.x' = 2;"));
}

TEST(Libraries, WhatIsWrongIsToldWithItsFile) {
  CompileOptions options;
  options.library = std::make_shared<const MemoryLibrary>(
      std::map<std::string, std::string>{{"L/package.mo", "package L\nend L;\n"},
                                         {"L/A.mo", "within L;\nmodel A\n  Real x = nothing;\nend A;\n"}});
  EXPECT_THAT(
      flat_of("model M\n  L.A a;\nend M;\n", options),
      AllOf(HasSubstr("there is no 'nothing' in class 'L.A' of component 'a'"), HasSubstr("L/A.mo:3:12")));
}

constexpr const char* kArray =
    "model A\n  Real x = 1;\nend A;\nmodel M\n  parameter Integer n = m + 1;\n  parameter Integer m = 1;\n"
    "  parameter Real k = 3;\n  A a[n];\n  Real y = k*a[n].x;\nend M;\n";

const flat::Parameter& parameter(const flat::Model& model, std::string_view name) {
  for (const flat::Parameter& item : model.parameters) {
    if (item.name == name) {
      return item;
    }
  }
  throw std::runtime_error("no such parameter");
}

TEST(ParametersThatDecide, AreStructural) {
  const Result<Compiled> result = compiled(kArray);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->model.variables.size(), 3U);
  for (const char* name : {"n", "m"}) {
    EXPECT_TRUE(parameter(result->model, name).is_structural) << name;
    EXPECT_FALSE(parameter(result->model, name).is_final) << name;
  }
  EXPECT_FALSE(parameter(result->model, "k").is_structural);
  // In the flat text nobody can set them.
  EXPECT_THAT(std::string(result->model.source->text()), HasSubstr("final parameter Integer n = m + 1;"));
}

TEST(ParametersThatDecide, MakeTheModelAnewWhenTheyAreSet) {
  CompileOptions options;
  options.parameters = {{"m", ParameterSetting{{}, {3.0}, {}}}, {"k", ParameterSetting{{}, {5.0}, {}}}};
  const Result<Compiled> result = compiled(kArray, options);
  ASSERT_TRUE(result.has_value()) << render_text(result.error());
  EXPECT_EQ(result->model.variables.size(), 5U);
  EXPECT_THAT(std::string(result->model.source->text()), HasSubstr("final parameter Integer m = 3;"));
}

TEST(Places, AreThoseOfTheClassAndToldOnce) {
  const Result<Compiled> result = compiled(
      "model A\n  Boolean b = 1;\nend A;\nmodel M\n  A a[3];\n  annotation(experiment(StopTime = 1));\nend "
      "M;\n");
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().items().size(), 1U) << render_text(result.error());
  EXPECT_THAT(render_text(result.error()), HasSubstr("main.mo:2:"));
}

TEST(FlatWriter, KnowsTheSmallestPartAround) {
  ClassFile file;
  FlatWriter writer;
  {
    const FlatWriter::Scope outer(writer, {&file, {10, 20}});
    writer << "ab";
    {
      const FlatWriter::Scope inner(writer, {&file, {12, 3}});
      writer << "cd";
    }
    writer << "ef";
  }
  writer << "g";
  EXPECT_EQ(written_at(writer.origins(), {2, 2}).span, (SourceSpan{12, 3}));
  EXPECT_EQ(written_at(writer.origins(), {3, 2}).span, (SourceSpan{10, 20}));
  EXPECT_EQ(written_at(writer.origins(), {4, 1}).span, (SourceSpan{10, 20}));
  EXPECT_EQ(written_at(writer.origins(), {6, 1}).file, nullptr);
}

TEST(FlatWriter, QuotesWhatIsNoIdentifier) {
  EXPECT_EQ(flat_identifier("x_1"), "x_1");
  EXPECT_EQ(flat_identifier("a.b[1]"), "'a.b[1]'");
  EXPECT_EQ(flat_identifier("when"), "'when'");
  EXPECT_EQ(flat_identifier("a.'b c'"), "'a.\\'b c\\''");
}

TEST(KnownValues, ArithmeticTakesArraysElementByElement) {
  using Type = KnownValue::Type;
  const auto vector = stacked({known_number(Type::integer, 1), known_number(Type::integer, 2)});
  ASSERT_TRUE(vector);
  EXPECT_EQ(to_text(*combined(Operator::multiply, known_number(Type::integer, 3), *vector)), "{3, 6}");
  EXPECT_EQ(
      to_text(*combined(Operator::divide, known_number(Type::integer, 3), known_number(Type::integer, 2))),
      "1.5");
  EXPECT_FALSE(combined(Operator::divide, known_number(Type::integer, 3), known_number(Type::integer, 0)));
  EXPECT_FALSE(combined(Operator::add, known_number(Type::integer, 3), known_text("a")));
  EXPECT_EQ(to_text(*part_at(*vector, {2})), "2");
  EXPECT_FALSE(part_at(*vector, {3}));
  EXPECT_EQ(to_text(known_text("a\"b")), "\"a\\\"b\"");
}

}  // namespace
}  // namespace saltus::lang
