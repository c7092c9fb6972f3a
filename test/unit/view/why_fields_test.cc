#include "libwm/view/why_fields.h"

#include <gtest/gtest.h>

#include "test/unit/view/listings.h"

namespace wm::view {
namespace {

JobView job(std::uint32_t id, JobState state, std::vector<PendReason> reasons = {}) {
  auto made = std::make_shared<Job>();
  made->state = state;
  made->sealed = std::make_shared<SealedSpec>();
  JobView view;
  view.job = made;
  view.id = JobId{id};
  view.reasons = std::move(reasons);
  return view;
}

const PendReason kSlots{PendCode::Slots, "Not enough job slot(s)", 3, "bkill something"};
const PendReason kQueue{PendCode::QueueClosed, "Queue has been closed", 0, ""};

TEST(bwhy, one_row_a_reason_with_the_contracted_keys) {
  std::vector jobs = {job(7, JobState::Pending, {kSlots, kQueue}), job(8, JobState::Running)};
  auto rows = reasons_of(jobs);
  ASSERT_EQ(rows.size(), 2U);
  Listing listing{"bwhy", "REASONS", "code text hosts_removed fix"};
  EXPECT_EQ(json_of<ShownReason>(listing, reason_fields(), {&rows[0], 1}),
            "{\n  \"COMMAND\": \"bwhy\",\n  \"REASONS\": 1,\n  \"RECORDS\": [\n    {\n      "
            "\"CODE\": \"slots\",\n"
            "      \"TEXT\": \"Not enough job slot(s)\",\n      \"HOSTS_REMOVED\": \"3\",\n"
            "      \"FIX\": \"bkill something\"\n    }\n  ]\n}\n");
}

TEST(bwhy, tells_each_reason_and_its_remedy) {
  EXPECT_EQ(why_text(job(7, JobState::Pending, {kSlots, kQueue})),
            "Job <7> is pending\n"
            "  Not enough job slot(s)\n"
            "    to change that: bkill something\n"
            "  Queue has been closed\n");
}

TEST(bwhy, a_job_without_reasons_is_told_too) {
  EXPECT_EQ(why_text(job(7, JobState::Finished)),
            "Job <7> is finished\n  it has ended and waits for nothing\n");
  auto running = job(8, JobState::Running);
  EXPECT_EQ(why_text(running), "Job <8> is running\n  nothing keeps it\n");
  auto blocked = std::make_shared<Job>(*running.job);
  blocked->size.grow_blocked = "its newcomer fails";
  running.job = blocked;
  EXPECT_EQ(why_text(running), "Job <8> is running\n  it does not grow: its newcomer fails\n");
  running.meeting = "1 of 2 tasks have met";
  EXPECT_EQ(why_text(running),
            "Job <8> is running\n  it waits for others to come: 1 of 2 tasks have met\n");
}

TEST(bwhy, an_elastic_job_below_its_most_is_told_what_it_waits_for) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.elastic = true;
  sealed->spec.max_tasks = 3;
  auto running = job(8, JobState::Running);
  auto small = std::make_shared<Job>(*running.job);
  small->sealed = sealed;
  small->tasks = {{.number = TaskNumber{1}, .state = TaskState::Running}};
  running.job = small;
  EXPECT_EQ(why_text(running),
            "Job <8> is running\n  it has 1 of at most 3 tasks; more come when fair share and free "
            "hosts allow\n");
}

}  // namespace
}  // namespace wm::view
