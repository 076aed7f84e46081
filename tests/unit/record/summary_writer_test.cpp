#include "record/summary_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "record/html_report.hpp"
#include "record/json_writer.hpp"

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
  const std::string page = report_html(example(), columns, sampler);
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["time"].size(), 11U);
  EXPECT_NEAR(data["series"][0]["y"][3].get<double>(), std::sin(3.0), 1e-7);
  EXPECT_EQ(data["series"][0]["text"], "a </script> text");
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_LT(page.size(), 60'000U);
}

}  // namespace
}  // namespace saltus::record
