// A sweep on several processes: the table of one, whoever makes the runs; members that differ, fail, or are sent home. Threads stand for processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "saltus/saltus.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGrowth = R"(model Growth
  parameter Real k = 1; Real x(start = 1, fixed = true);
equation
  der(x) = k*x;
  assert(x < 15, "too fast");
end Growth;
)";

// What all members share.
class Post {
 public:
  void put(int to, SweepTeam::Message message) {
    const std::lock_guard lock(mutex_);
    boxes_[static_cast<std::size_t>(to)].push_back(std::move(message));
  }
  std::optional<SweepTeam::Message> take(int of) {
    const std::lock_guard lock(mutex_);
    std::deque<SweepTeam::Message>& box = boxes_[static_cast<std::size_t>(of)];
    if (box.empty()) {
      return std::nullopt;
    }
    SweepTeam::Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  explicit Post(int n) : boxes_(static_cast<std::size_t>(n)) {}
  [[nodiscard]] int size() const { return static_cast<int>(boxes_.size()); }

 private:
  std::mutex mutex_;
  std::vector<std::deque<SweepTeam::Message>> boxes_;
};

class ThreadTeam final : public SweepTeam {
 public:
  ThreadTeam(Post& post, int rank) : post_(post), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return post_.size(); }
  void send(int to, std::string_view bytes) override { post_.put(to, {rank_, std::string(bytes)}); }
  [[nodiscard]] std::optional<Message> poll() override { return post_.take(rank_); }

 private:
  Post& post_;
  int rank_;
};

SweepOptions growth_options() {
  SweepOptions options;
  options.vary = {*read_variation("k=0:0.01:4")};
  options.columns = {"x"};
  return options;
}

// `of`: the options of each member, the lead first; the result of the lead.
Result<SweepResult> sweep_in_threads(const std::vector<SweepOptions>& of) {
  Post post(static_cast<int>(of.size()));
  const auto member = [&](int rank) {
    ThreadTeam team(post, rank);
    SweepOptions options = of[static_cast<std::size_t>(rank)];
    options.team = &team;
    return sweep(*Model::from_text("growth.mo", kGrowth), options);
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < post.size(); ++rank) {
    others.emplace_back([&, rank] {
      const Result<SweepResult> result = member(rank);
      EXPECT_TRUE(!result || result->count(SweepStatus::not_run) == result->runs.size());
    });
  }
  return member(0);
}

void expect_same(const SweepResult& one, const SweepResult& two) {
  ASSERT_EQ(one.values.size(), two.values.size());
  EXPECT_EQ(std::memcmp(one.values.data(), two.values.data(), one.values.size() * sizeof(double)), 0);
  for (std::size_t k = 0; k < one.runs.size(); ++k) {
    EXPECT_EQ(one.runs[k].status, two.runs[k].status);
    EXPECT_EQ(one.runs[k].message, two.runs[k].message);
  }
}

TEST(SweepTeams, TheTableIsThatOfOneProcess) {
  const Result<SweepResult> alone = sweep(*Model::from_text("growth.mo", kGrowth), growth_options());
  ASSERT_TRUE(alone);
  EXPECT_GT(alone->count(SweepStatus::failed), 0U);
  for (const std::size_t n : {2U, 3U, 5U}) {
    const Result<SweepResult> team = sweep_in_threads(std::vector<SweepOptions>(n, growth_options()));
    ASSERT_TRUE(team) << render_text(team.error());
    EXPECT_TRUE(team->is_complete());
    expect_same(*alone, *team);
  }
}

TEST(SweepTeams, OneJournalThatGoesOn) {
  const test::TemporaryFolder folder;
  SweepOptions options = growth_options();
  options.journal = folder.file("sweep.journal");
  const Result<SweepResult> team = sweep_in_threads({options, options, options});
  ASSERT_TRUE(team) << render_text(team.error());
  const Result<SweepResult> alone = sweep(*Model::from_text("growth.mo", kGrowth), options);
  ASSERT_TRUE(alone) << render_text(alone.error());
  EXPECT_EQ(alone->n_from_journal, 401U);
  expect_same(*alone, *team);
  const Result<SweepResult> again = sweep_in_threads({options, options, options});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->n_from_journal, 401U);
  expect_same(*alone, *again);
}

TEST(SweepTeams, MembersThatDifferAreTold) {
  SweepOptions other = growth_options();
  other.simulation.tolerance = 1e-3;
  const Result<SweepResult> team = sweep_in_threads({growth_options(), growth_options(), other});
  ASSERT_TRUE(team);
  EXPECT_FALSE(team->ok());
  EXPECT_THAT(render_text(team->diagnostics),
              HasSubstr("process 3 of 3 cannot take part: it has another model, other options or another "
                        "build of saltus [sweep-process-left]"));
}

TEST(SweepTeams, MembersThatCannotBeginAreTold) {
  SweepOptions wrong = growth_options();
  wrong.columns = {"y"};
  const Result<SweepResult> team = sweep_in_threads({growth_options(), wrong});
  ASSERT_TRUE(team);
  EXPECT_THAT(render_text(team->diagnostics),
              HasSubstr("process 2 of 2 cannot take part: --columns: the model has no variable 'y'"));
  // The lead cannot: the others are sent home, and do not wait for ever.
  const Result<SweepResult> lead = sweep_in_threads({wrong, growth_options(), growth_options()});
  ASSERT_FALSE(lead);
  EXPECT_THAT(render_text(lead.error()), HasSubstr("[unknown-column]"));
}

}  // namespace
}  // namespace saltus
