// What waiting jobs ask for is changed, against the real core on a simulated world: in another
// queue what was left open is filled in anew, and what it would not have taken it does not take.
#include <gtest/gtest.h>

#include "daemons/wmasterd/clients.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

/// A master with queues normal and night, which is of another plan and takes 4 tasks at most.
struct NightDesk : Desk {
  NightDesk() {
    PlanConf plan;
    plan.path = "/dark";
    past.config.plans.push_back(plan);
    QueueConf night;
    night.name = "night";
    night.plan = "/dark";
    night.max_tasks = 4;
    past.config.queues.insert(past.config.queues.begin(), night);  // by name
    past.reconfigure();
    start();
  }
  std::vector<JobOutcome> put(const std::vector<JobId>& ids, const std::string& queue = "night",
                              const Identity& who = kUser) {
    SwitchRequest request{key("s" + std::to_string(++requests)), {}, queue};
    request.jobs.ids = ids;
    ask(Verb::Switch, request, who);
    if (first.frames.back().type == Verb::Failed) return {};
    return first.last<OutcomeReply>().jobs;
  }
  const JobSpec& spec(JobId id) const { return find_job(state(), id)->spec(); }
  int requests = 0;
};

TEST(modify, in_another_queue_what_was_left_open_is_as_that_queue_has_it) {
  NightDesk desk;
  auto open = desk.submit("open", SpecBuilder().queue("").plan(""));
  auto said = desk.submit("said", SpecBuilder().plan("/"));
  auto done = desk.put({open, said});
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0], (JobOutcome{open, 0, "Job <1> is switched to queue <night>"}));
  EXPECT_EQ(desk.spec(open).queue, "night");
  EXPECT_EQ(desk.spec(open).plan, "/dark");
  EXPECT_EQ(desk.spec(said).plan, "/");
  EXPECT_EQ(desk.spec(said).owner, kUser);
  desk.restart();
  EXPECT_EQ(desk.spec(open).queue, "night");
}

TEST(modify, what_was_signed_stays_what_hosts_check) {
  NightDesk desk;
  auto id = desk.submit("one");
  auto before = find_job(desk.state(), id)->sealed;
  desk.put({id});
  auto after = find_job(desk.state(), id)->sealed;
  EXPECT_EQ(after->bytes, before->bytes);
  EXPECT_EQ(after->credential, before->credential);
  EXPECT_EQ(after->request_key, before->request_key);
}

TEST(modify, a_queue_takes_what_it_would_take_from_a_new_job) {
  NightDesk desk;
  auto wide = desk.submit("wide", SpecBuilder().tasks(5, 5)), narrow = desk.submit("narrow");
  auto done = desk.put({wide, narrow});
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].code, number(Code::Limit));
  EXPECT_EQ(done[0].text, "Job <1>: Too many processors requested: 5, queue 'night' allows 4");
  EXPECT_EQ(desk.spec(wide).queue, "normal");
  EXPECT_EQ(desk.spec(narrow).queue, "night");
  desk.put({narrow}, "nigth");
  EXPECT_EQ(desk.first.refusal(), (VerbError{number(Code::NotFound), "nigth: No such queue"}));
}

TEST(modify, others_jobs_are_an_administrators) {
  NightDesk desk;
  auto id = desk.submit("one");
  EXPECT_EQ(desk.put({id}, "night", kOther)[0].code, number(Code::Denied));
  EXPECT_EQ(desk.spec(id).queue, "normal");
  EXPECT_EQ(desk.put({id}, "night", kBoss)[0].code, 0);
  EXPECT_EQ(desk.spec(id).queue, "night");
  EXPECT_EQ(desk.spec(id).owner, kUser);
}

TEST(modify, each_job_is_answered_by_how_it_stands) {
  NightDesk desk;
  auto over = desk.submit("over"), id = desk.submit("one");
  desk.ask(Verb::Kill, desk.kill(over));
  auto done = desk.put({over, id, {99, 0}});
  std::map<JobId, std::string> texts;
  for (const auto& outcome : done) texts[outcome.job] = outcome.text;
  EXPECT_EQ(texts, (std::map<JobId, std::string>{{over, "Job <1>: Job has already finished"},
                                                 {id, "Job <2> is switched to queue <night>"},
                                                 {{99, 0}, "Job <99>: No matching job found"}}));
}

TEST(modify, an_array_goes_as_a_whole_and_an_element_by_itself) {
  NightDesk desk;
  auto array = desk.submit("array", SpecBuilder().array(1, 3));
  auto done = desk.put({{array.job, 2}});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].text, "Job <1[2]> is switched to queue <night>");
  EXPECT_EQ(desk.spec(array).queue, "normal");
  EXPECT_EQ(desk.spec({array.job, 2}).queue, "night");
  EXPECT_EQ(desk.put({array}).size(), 1u);
  EXPECT_EQ(desk.spec(array).queue, "night");
  desk.ask(Verb::Kill, desk.kill(array));
  EXPECT_EQ(desk.put({array})[0].text, "Job <1>: Job has already finished");
}

TEST(modify, a_repeated_switch_gets_its_first_answer) {
  NightDesk desk;
  auto id = desk.submit("one");
  desk.put({id});
  auto events = desk.disk.events.size();
  --desk.requests;
  desk.put({id});
  EXPECT_EQ(desk.first.frames.back(), desk.first.frames[desk.first.frames.size() - 2]);
  EXPECT_EQ(desk.disk.events.size(), events);
}

}  // namespace
}  // namespace wm::master
