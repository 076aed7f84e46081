// Values that are set: numbers, truths, texts, whole arrays, with and without quotes, from texts and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "api/options/given_text.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;
using List = GivenValue::List;

// y(1) is the value of an expression of the parameters: each element counts with a weight of its own.
constexpr const char* kArrays = R"(
model Arrays
  parameter Integer n = 2;
  parameter Real v[n] = {i for i in 1:n};
  parameter Real free[:] = {1, 2, 3};
  parameter Real m[2, 3] = [1, 2, 3; 4, 5, 6];
  parameter Boolean on[2] = {false, false};
  parameter Real 'a.b[1,2]' = 7;
  parameter Real dependent = 2*v[1];
  final parameter Real fixed[2] = {1, 2};
  parameter String name = "none";
  Real x[2](start = {1, 2}, each fixed = true);
  Real sum_v, sum_free, sum_m, dep, quoted;
  Integer size_free;
equation
  der(x) = {0, 0};
  sum_v = sum(v[i]*10^(i - 1) for i in 1:n);
  sum_free = sum(free[i]*10^(i - 1) for i in 1:size(free, 1));
  sum_m = m[1,1] + 10*m[1,2] + 100*m[1,3] + 1000*m[2,1] + 1e4*m[2,2] + 1e5*m[2,3]
          + (if on[1] then 1e6 else 0) + (if on[2] then 2e6 else 0);
  dep = dependent;
  quoted = 'a.b[1,2]';
  size_free = size(free, 1);
end Arrays;
)";

Result<SimulationResult> run(const char* text, const std::vector<SetValue>& set) {
  const Result<Model> model = Model::from_text("model.mo", text);
  EXPECT_TRUE(model) << render_text(model.error());
  SimulationOptions options;
  options.stop = 0.5;
  options.set = set;
  return simulate(*model, options);
}

double final_of(const Result<SimulationResult>& run, const std::string& name) {
  for (std::size_t i = 0; run && i < run->variables.size(); ++i) {
    if (run->variables[i].name == name) {
      return run->final_values[i];
    }
  }
  ADD_FAILURE() << name << (run ? "" : render_text(run.error()));
  return std::nan("");
}

std::string refusal(const char* text, const std::vector<SetValue>& set) {
  const Result<SimulationResult> result = run(text, set);
  return result ? "none" : render_text(result.error());
}

TEST(SetValues, WholeArraysAndTheirElements) {
  EXPECT_EQ(final_of(run(kArrays, {}), "sum_m"), 654321);
  EXPECT_EQ(final_of(run(kArrays, {{"m", List{List{6, 5, 4}, List{3, 2, 1}}}}), "sum_m"), 123456);
  EXPECT_EQ(final_of(run(kArrays, {{"on", List{true, 0}}}), "sum_m"), 1654321);
  EXPECT_EQ(final_of(run(kArrays, {{"on", List{false, true}}}), "sum_m"), 2654321);
  // Of several values the last counts, however it came.
  EXPECT_EQ(final_of(run(kArrays, {{"m[1,2]", 9}, {"m", List{List{6, 5, 4}, List{3, 2, 1}}}}), "sum_m"),
            123456);
  EXPECT_EQ(final_of(run(kArrays, {{"m", List{List{6, 5, 4}, List{3, 2, 1}}}, {"m[1,2]", 9}}), "sum_m"),
            123496);
  // What depends on a value follows it; start values too.
  EXPECT_EQ(final_of(run(kArrays, {{"v", List{8, 9}}}), "dep"), 16);
  EXPECT_EQ(final_of(run(kArrays, {{"x", List{3, 4}}}), "x[2]"), 4);
}

TEST(SetValues, SizesFollow) {
  // A size that is set with the array of that size, in either order.
  EXPECT_EQ(final_of(run(kArrays, {{"n", 3}, {"v", List{1, 1, 1}}}), "sum_v"), 111);
  EXPECT_EQ(final_of(run(kArrays, {{"v", List{2, 1, 1}}, {"n", 3}}), "sum_v"), 112);
  EXPECT_EQ(final_of(run(kArrays, {{"n", 3}, {"v[3]", 5}}), "sum_v"), 521);
  // A size that the declaration leaves open.
  const std::vector<SetValue> longer{{"free", List{4, 3, 2, 1}}};
  EXPECT_EQ(final_of(run(kArrays, longer), "sum_free"), 1234);
  EXPECT_EQ(final_of(run(kArrays, longer), "size_free"), 4);
  EXPECT_EQ(final_of(run(kArrays, {{"free", List{}}}), "size_free"), 0);
  EXPECT_EQ(final_of(run(kArrays, {{"free[2]", 5}, {"free", List{4, 3}}}), "sum_free"), 34);
  EXPECT_EQ(final_of(run(kArrays, {{"free", List{4, 3}}, {"free[2]", 5}}), "sum_free"), 54);
}

TEST(SetValues, QuotedNames) {
  EXPECT_EQ(final_of(run(kArrays, {{"'a.b[1,2]'", 5}}), "quoted"), 5);
  EXPECT_EQ(final_of(run(kArrays, {{"'m[1,2]'", 9}}), "sum_m"), 654391);
}

TEST(SetValues, StringsAreSet) {
  const Result<SimulationResult> result = run(kArrays, {{"name", "other"}});
  ASSERT_TRUE(result);
  std::string seen;
  for (const ParameterValue& parameter : result->parameters) {
    const auto* const text = std::get_if<std::string>(&parameter.value);
    seen += parameter.name == "name" && text != nullptr ? *text : "";
  }
  EXPECT_EQ(seen, "other");
}

TEST(SetValues, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal(kArrays, {{"m", List{1, 2}}}), HasSubstr("shape-mismatch"));
  EXPECT_THAT(refusal(kArrays, {{"m", List{List{1, 2}, List{1}}}}), HasSubstr("rows of the value for 'm'"));
  EXPECT_THAT(refusal(kArrays, {{"m", List{List{1, 2, 3}, 4}}}), HasSubstr("wrong-set-value"));
  EXPECT_THAT(refusal(kArrays, {{"m", 1}}), HasSubstr("'m' is an array of size 2 x 3"));
  EXPECT_THAT(refusal(kArrays, {{"dependent", List{1}}}), HasSubstr("'dependent' is one value"));
  EXPECT_THAT(refusal(kArrays, {{"x", List{1, 2, 3}}}), HasSubstr("wrong-set-value"));
  EXPECT_THAT(refusal(kArrays, {{"v", List{1, 2, 3}}}), HasSubstr("shape-mismatch"));
  EXPECT_THAT(refusal(kArrays, {{"m", List{List{1, 2, "x"}, List{4, 5, 6}}}}),
              HasSubstr("'m[1,3]' is a Real and cannot be set to \"x\""));
  EXPECT_THAT(refusal(kArrays, {{"dependent", true}}), HasSubstr("wrong-set-value"));
  EXPECT_THAT(refusal(kArrays, {{"dependent", std::nan("")}}), HasSubstr("wrong-set-value"));
  EXPECT_THAT(refusal(kArrays, {{"on", List{1, 2}}}), HasSubstr("'on[2]' is a Boolean"));
  EXPECT_THAT(refusal(kArrays, {{"n", 2.5}}), HasSubstr("'n' is an Integer"));
  EXPECT_THAT(refusal(kArrays, {{"name", 5}}), HasSubstr("in double quotes"));
  EXPECT_THAT(refusal(kArrays, {{"fixed", List{1, 2}}}), HasSubstr("cannot-be-set"));
  EXPECT_THAT(refusal(kArrays, {{"mm", 1}}), HasSubstr("unknown-set-name"));
  EXPECT_THAT(refusal(kArrays, {{"n", 3}, {"v[4]", 1}}), HasSubstr("unknown-set-name"));
}

// With other sizes other parameters become structural: m is a size only where n is above 2.
TEST(SetValues, WhatBecomesStructural) {
  constexpr const char* kText = R"(
model M
  parameter Integer n = 1;
  parameter Integer m = 2;
  Real y;
protected
  parameter Real w[if n > 2 then m else 1] = fill(1, if n > 2 then m else 1);
equation
  y = sum(w) + 10*m;
end M;
)";
  EXPECT_EQ(final_of(run(kText, {{"m", 4}}), "y"), 41);
  EXPECT_EQ(final_of(run(kText, {{"m", 4}, {"n", 3}}), "y"), 44);
}

TEST(SetText, ReadsValues) {
  const auto value = [](std::string_view text) { return api::parse_given(text); };
  EXPECT_EQ(value(" -1.5e3 "), GivenValue(-1500.0));
  EXPECT_EQ(value("true"), GivenValue(true));
  EXPECT_EQ(value("{1, {2, true}, \"a,}\\\"b\"}"), GivenValue(List{1, List{2, true}, "a,}\"b"}));
  EXPECT_EQ(value("{}"), GivenValue(List{}));
  EXPECT_EQ(value("data/table.csv"), GivenValue("data/table.csv"));
  EXPECT_EQ(value("\"5\""), GivenValue("5"));
  for (const char* const wrong :
       {"", " ", "{1", "1}", "{1,}", "{,}", "\"a", "\"a\"b", "{1}{2}", "{{1}", "a\"b"}) {
    EXPECT_FALSE(value(wrong)) << wrong;
  }
  EXPECT_FALSE(value(std::string(100'000, '{')));
  const std::optional<SetValue> quoted = api::parse_set("'k=1'= {3}");
  ASSERT_TRUE(quoted);
  EXPECT_EQ(quoted->name, "'k=1'");
  EXPECT_EQ(quoted->value, GivenValue(List{3}));
  EXPECT_EQ(api::parse_set("f=\"a=b\"")->value, GivenValue("a=b"));
  for (const char* const wrong : {"", "k", "=1", "k=", "'k=1"}) {
    EXPECT_FALSE(api::parse_set(wrong)) << wrong;
  }
}

class SetFile : public ::testing::Test {
 protected:
  SetFile()
      : path_(std::filesystem::temp_directory_path() / ("saltus_set_file_" + std::to_string(::getpid()))) {}
  ~SetFile() override { std::filesystem::remove(path_); }

  [[nodiscard]] Result<std::vector<SetValue>> read(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return api::read_set_file(path_.string());
  }
  [[nodiscard]] std::string problem(const std::string& text) const {
    const Result<std::vector<SetValue>> result = read(text);
    return result ? "none" : render_text(result.error());
  }

 private:
  std::filesystem::path path_;
};

TEST_F(SetFile, ReadsJson) {
  const auto values =
      read(R"( {"k": 2, "on": true, "m": [[1, 2.5], [3, 4]], "r.k[1,2]": -1e3, "file": "a\u00e9.csv"} )");
  ASSERT_TRUE(values) << render_text(values.error());
  ASSERT_EQ(values->size(), 5U);
  for (const SetValue& item : *values) {
    const GivenValue expected = item.name == "k"      ? GivenValue(2)
                                : item.name == "on"   ? GivenValue(true)
                                : item.name == "m"    ? GivenValue(List{List{1, 2.5}, List{3, 4}})
                                : item.name == "file" ? GivenValue("a\xC3\xA9.csv")
                                                      : GivenValue(-1000);
    EXPECT_EQ(item.value, expected) << item.name;
  }
  EXPECT_TRUE(read("{}"));
}

TEST_F(SetFile, ReadsRows) {
  const auto values =
      read("name,value\r\nk, 2\non,true\nm[1,2],3\n\"r.k[1,2]\",4\nv,{1,2}\nw,\"{1,2}\"\nfile,a.csv\n");
  ASSERT_TRUE(values) << render_text(values.error());
  const std::vector<std::pair<std::string, GivenValue>> expected{
      {"k", 2},          {"on", true},      {"m[1,2]", 3},    {"r.k[1,2]", 4},
      {"v", List{1, 2}}, {"w", List{1, 2}}, {"file", "a.csv"}};
  ASSERT_EQ(values->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*values)[i].name, expected[i].first);
    EXPECT_EQ((*values)[i].value, expected[i].second) << expected[i].first;
  }
  EXPECT_EQ(read("k,2\n")->size(), 1U);
}

TEST_F(SetFile, RefusesWhatItCannotRead) {
  EXPECT_THAT(problem("{\"k\": 1"), HasSubstr("line 1"));
  EXPECT_THAT(problem("{\"k\": null}"), HasSubstr("'k'"));
  EXPECT_THAT(problem("{\"k\": {\"a\": 1}}"), HasSubstr("'k'"));
  EXPECT_THAT(problem("{\"k\": 1, \"k\": 2}"), HasSubstr("'k' comes twice"));
  EXPECT_THAT(problem("{\"k\": 1e999}"), HasSubstr("wrong-set-file"));
  EXPECT_THAT(problem("{\"k\": 1} x"), HasSubstr("wrong-set-file"));
  EXPECT_THAT(problem("{\"k\": \"\xff\"}"), HasSubstr("wrong-set-file"));
  EXPECT_THAT(problem("{\"k\": " + std::string(100'000, '[')), HasSubstr("wrong-set-file"));
  EXPECT_THAT(problem(""), HasSubstr("empty"));
  EXPECT_THAT(problem("k\n"), HasSubstr("1 cells"));
  EXPECT_THAT(problem("k,1,2\n"), HasSubstr("3 cells"));
  EXPECT_THAT(problem("k,\n"), HasSubstr("the value of 'k'"));
  EXPECT_THAT(problem(",1\n"), HasSubstr("no name"));
  EXPECT_THAT(problem("k,1\nk,2\n"), HasSubstr("'k' comes twice"));
  EXPECT_THAT(problem("k,\"1\n"), HasSubstr("wrong-set-file"));
  EXPECT_FALSE(api::read_set_file("/nonexistent/file.json"));
}

}  // namespace
}  // namespace saltus
