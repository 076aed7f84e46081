#include "record/summary_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_writer.hpp"
#include "record/html_report.hpp"

namespace saltus::record {
namespace {

Summary example() {
  Summary summary;
  summary.saltus_version = "0.1.0";
  summary.model = "Wave";
  summary.description = "a \"wave\" </script>";
  summary.status = "success";
  summary.end = 10.0;
  summary.final_values = {{"x", 0.1 + 0.2}, {"A[1,2]", -1e-300}, {"bad", std::nan("")}};
  summary.parameters = {{"mu", 0.4}, {"file", std::string("a\\b")}};
  summary.modes = {{0.0, 10.0, "main", 0, 2, 1, 0, 0}};
  summary.statistics.method = "dopri5";
  summary.statistics.accepted_steps = 12;
  return summary;
}

TEST(Summary, IsJsonOfTheDocumentedSchema) {
  const auto json = nlohmann::json::parse(summary_json(example()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["status"], "success");
  EXPECT_EQ(json["final"]["x"].get<double>(), 0.1 + 0.2);
  EXPECT_TRUE(json["final"]["bad"].is_null());
  EXPECT_EQ(json["parameters"]["file"], "a\\b");
  EXPECT_EQ(json["modes"][0]["d"], 2);
  EXPECT_EQ(json["statistics"]["accepted_steps"], 12);
  EXPECT_TRUE(json["events"].empty());
  EXPECT_EQ(json["events_total"], 0);
}

TEST(Summary, ListsEventsAndModesUpToALimitAndCountsAll) {
  Summary summary = example();
  const std::string guard = "v1 - v2 > \"0\"";
  for (int k = 0; k < 5; ++k) {
    summary.events.push_back({k + 0.25, k, "slide_exit", "sliding", "true", guard, ""});
    summary.modes.push_back({k + 0.0, k + 1.0, k % 2 == 0 ? "main" : "other", 0, 2, 1, 0, 0});
  }
  summary.statistics.events = 5;
  const auto all = nlohmann::json::parse(summary_json(summary));
  EXPECT_EQ(all["events"].size(), 5U);
  EXPECT_EQ(all["events"][3]["time"], 3.25);
  EXPECT_EQ(all["events"][3]["kind"], "slide_exit");
  EXPECT_EQ(all["events"][3]["guard"], guard);
  EXPECT_EQ(all["events_total"], 5);
  EXPECT_EQ(all["events_truncated"], false);
  EXPECT_EQ(all["modes_truncated"], false);
  const auto some = nlohmann::json::parse(summary_json(summary, 2, 3));
  EXPECT_EQ(some["events"].size(), 2U);
  EXPECT_EQ(some["events_total"], 5);
  EXPECT_EQ(some["events_truncated"], true);
  EXPECT_EQ(some["modes"].size(), 3U);
  EXPECT_EQ(some["modes_total"], 6);
  EXPECT_EQ(some["modes_truncated"], true);
}

TEST(JsonWriter, EscapesControlCharactersAndReplacesBrokenUtf8) {
  JsonWriter json(false);
  json.value("a\"\\\n\x01 \xc3\xa4 \xff \xc0\xaf \xed\xa0\x80");
  const auto parsed = nlohmann::json::parse(json.take());
  EXPECT_EQ(
      parsed.get<std::string>(),
      "a\"\\\n\x01 \xc3\xa4 \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Report, HoldsItsDataAndNoReferenceToTheNetwork) {
  const std::vector<Column> columns{{"x", "m", "a </script> text"}};
  PlotSampler sampler = make_report_sampler(1);
  for (int k = 0; k < 10; ++k) {
    const double t = k;
    const double x = std::sin(t);
    sampler.add({{&t, 1}, {&x, 1}, 1, 0, "main"});
  }
  const std::string page = report_html({example(), columns, sampler, {}});
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["time"].size(), 11U);
  EXPECT_NEAR(data["series"][0]["y"][3].get<double>(), std::sin(3.0), 1e-7);
  EXPECT_EQ(data["series"][0]["text"], "a </script> text");
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_LT(page.size(), 60'000U);
}

TEST(Report, HoldsEventsSegmentsAndModes) {
  const std::vector<Column> columns{{"x", "m", ""}, {"n", "", "", true}};
  PlotSampler sampler = make_report_sampler(2);
  const auto add = [&](double t, std::int64_t segment, const char* mode) {
    const std::vector<double> values{t, static_cast<double>(segment)};
    sampler.add({{&t, 1}, values, 1, segment, mode});
  };
  add(0.0, 0, "main");
  add(1.0, 0, "main");
  add(1.0, 1, "main");
  add(2.0, 1, "main");
  add(2.0, 2, "main sliding on x");
  add(3.0, 2, "main sliding on x");
  const std::vector<EventRow> events{{1.0, 1, "when", "", "", "x > 1", ""},
                                     {2.0, 2, "slide_enter", "main", "main sliding on x", "x", ""}};
  Summary summary = example();
  summary.statistics.events = 2;
  const std::string page = report_html({summary, columns, sampler, events});
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["breaks"], (std::vector<int>{2, 4}));
  EXPECT_EQ(data["modes"], (std::vector<std::string>{"main", "main sliding on x"}));
  EXPECT_EQ(data["modeChanges"], (std::vector<int>{0, 0, 4, 1}));
  ASSERT_EQ(data["events"].size(), 14U);
  EXPECT_EQ(data["events"][7], 2.0);
  EXPECT_EQ(data["texts"][data["events"][7 + 2].get<std::size_t>()], "slide_enter");
  EXPECT_EQ(data["texts"][data["events"][7 + 5].get<std::size_t>()], "x");
  EXPECT_EQ(data["spans"], (std::vector<double>{0.0, 10.0, 0.0}));
  EXPECT_EQ(data["spanNames"], (std::vector<std::string>{"main"}));
  EXPECT_EQ(data["series"][1]["discrete"], true);
  EXPECT_FALSE(data["series"][0].contains("discrete"));
}

}  // namespace
}  // namespace saltus::record
