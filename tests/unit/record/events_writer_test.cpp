#include "record/events_writer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/temporary_folder.hpp"

namespace saltus::record {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(EventsWriter, WithoutEventsThereIsTheHeader) {
  const test::TemporaryFolder folder;
  Result<EventsWriter> writer = EventsWriter::create(folder.file("e.csv"));
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->commit().empty());
  EXPECT_EQ(read_all(folder.file("e.csv")), "time,segment,kind,from,to,guard,detail\n");
}

TEST(EventsWriter, WritesFieldsInOrderAndQuotesWhatMustBe) {
  const test::TemporaryFolder folder;
  Result<EventsWriter> writer = EventsWriter::create(folder.file("e.csv"));
  ASSERT_TRUE(writer);
  writer->write({0.1 + 0.2, 1, "condition", "false", "true", "v1 - v2", ""});
  writer->write({2.0, 12, "transition", "fly", "rest", "A[1,2] > 0", "the \"first\" of\ntwo"});
  EXPECT_TRUE(writer->commit().empty());
  EXPECT_EQ(read_all(folder.file("e.csv")),
            "time,segment,kind,from,to,guard,detail\n"
            "0.30000000000000004,1,condition,false,true,v1 - v2,\n"
            "2,12,transition,fly,rest,\"A[1,2] > 0\",\"the \"\"first\"\" of\ntwo\"\n");
}

TEST(EventsWriter, WithoutCommitNothingIsLeft) {
  const test::TemporaryFolder folder;
  {
    Result<EventsWriter> writer = EventsWriter::create(folder.file("e.csv"));
    ASSERT_TRUE(writer);
    writer->write({1.0, 1, "when", "", "", "x > 0", ""});
  }
  EXPECT_FALSE(std::ifstream(folder.file("e.csv")).good());
}

}  // namespace
}  // namespace saltus::record
