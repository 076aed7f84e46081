// What is reported of an instant waits until it is verified.
#include "settle/state/instant_draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_recorder.hpp"

namespace saltus::settle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void fill(InstantDraft& draft, double t) {
  const std::vector<double> before{1.0};
  const std::vector<double> after{2.0};
  draft.add_row(t, 0, "main", before);
  // Texts of an event live no longer than the call.
  std::string text = "x > ";
  text += "0";
  Event event;
  event.time = t;
  event.detail = text;
  draft.add_event(event);
  text = "something else";
  draft.add_row(t, 1, "main", after);
}

TEST(InstantDraft, ReportsOnceAndInOrder) {
  test::Recorder recorder;
  InstantDraft draft;
  for (const double t : {1.0, 2.0}) {
    fill(draft, t);
    EXPECT_THAT(recorder.rows, SizeIs(t == 1.0 ? 0 : 2));
    EXPECT_TRUE(draft.report(recorder));
    EXPECT_TRUE(draft.is_empty());
    EXPECT_TRUE(draft.report(recorder));
  }
  ASSERT_THAT(recorder.rows, SizeIs(4));
  EXPECT_THAT(recorder.rows[1].values, ElementsAre(2.0));
  EXPECT_EQ(recorder.rows[3].segment, 1);
  ASSERT_THAT(recorder.events, SizeIs(2));
  EXPECT_EQ(recorder.events[1].detail, "x > 0");
}

TEST(InstantDraft, OfARefusedInstantOnlyTheLeftLimitIsReported) {
  test::Recorder recorder;
  InstantDraft draft;
  fill(draft, 1.0);
  EXPECT_EQ(draft.drop(), 1);
  EXPECT_TRUE(draft.report(recorder));
  ASSERT_THAT(recorder.rows, SizeIs(1));
  EXPECT_THAT(recorder.rows[0].values, ElementsAre(1.0));
  EXPECT_THAT(recorder.events, IsEmpty());
}

TEST(InstantDraft, TheLastRowMayGetOtherValues) {
  test::Recorder recorder;
  InstantDraft draft;
  const std::vector<double> later{3.0};
  draft.replace_row(1, later);  // there is none
  fill(draft, 1.0);
  draft.add_event({});
  draft.replace_row(2, later);  // none of this segment
  draft.replace_row(1, later);
  EXPECT_TRUE(draft.report(recorder));
  ASSERT_THAT(recorder.rows, SizeIs(2));
  EXPECT_THAT(recorder.rows[0].values, ElementsAre(1.0));
  EXPECT_THAT(recorder.rows[1].values, ElementsAre(3.0));
}

TEST(RunState, ARefusedInstantHasNotHappened) {
  callback::CallbackModel model;
  model.states = {"x"};
  model.initial = {1.0};
  model.rhs = [](const callback::CallbackPoint&, std::span<double> xdot) { xdot[0] = -1.0; };
  const auto system = callback::make_callback_system(model);
  const Options options = test::options_to(1.0, 1);
  test::Recorder recorder;
  RunState state(*system, options, recorder);
  state.instant.left_limit = {1.0};
  state.instant.draft.add_row(0.5, state.segment, "main", state.instant.left_limit);
  ++state.segment;
  state.values = {7.0};
  state.instant.draft.add_event({});
  ++state.counters.events;
  state.refuse_instant();
  EXPECT_TRUE(state.report());
  EXPECT_EQ(state.counters.events, 0);
  EXPECT_THAT(state.values, ElementsAre(1.0));
  EXPECT_THAT(recorder.rows, SizeIs(1));
  EXPECT_THAT(recorder.events, IsEmpty());
}

}  // namespace
}  // namespace saltus::settle
