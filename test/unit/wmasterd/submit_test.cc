// What a submission is refused for, with the object, the value and the limit, and what it is given
// where it says nothing. Against the real core on a simulated world.
#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/admission.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

TEST(submit, a_job_signed_by_another_account_is_refused) {
  Desk desk;
  desk.start();
  desk.ask(Verb::Submit, desk.submission("one", {}, "1002"));
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_EQ(desk.jobs(), 0u);
  desk.submit("one");
  EXPECT_EQ(desk.jobs(), 1u) << "its key is free again";
}

TEST(submit, the_session_says_whose_job_it_is) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().user("root", 0));
  EXPECT_EQ(find_job(desk.state(), id)->spec().owner, kUser);
}

TEST(submit, a_service_has_its_name_alone_for_as_long_as_its_job_is_there) {
  Desk desk;
  desk.start();
  SpecBuilder service;
  service.spec.exec.service = "digits";
  auto id = desk.submit("one", service);
  auto refused = desk.refused(service);
  EXPECT_EQ(refused.code, number(Code::Conflict));
  EXPECT_EQ(refused.text, "service digits is there already: Job <" + to_string(id) + ">");
  SpecBuilder other;
  other.spec.exec.service = "letters";
  desk.submit("two", other);
  desk.ask(Verb::Kill, desk.kill(id));
  EXPECT_NE(desk.submit("three", service), id);
  TaskGroup router, kernel;
  router.name = "router", kernel.name = "kernel";
  SpecBuilder grouped;
  grouped.group(router).group(kernel).hold();  // as services are submitted
  grouped.spec.exec.service = "faces";
  grouped.spec.array.clear();
  auto whole = desk.submit("four", grouped);
  EXPECT_EQ(desk.refused(grouped).code, number(Code::Conflict));
  desk.ask(Verb::Kill, desk.kill(whole, "kill whole"));
  EXPECT_NE(desk.submit("five", grouped), whole);
}

TEST(submit, an_environment_that_is_not_the_signed_one_is_refused) {
  Desk desk;
  desk.start();
  auto request = desk.submission("one");
  request.env = "A=2";
  desk.ask(Verb::Submit, request);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Damaged));
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(submit, what_is_left_open_gets_the_defaults) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().queue("").app("").plan(""));
  EXPECT_TRUE(desk.first.last<SubmitReply>().default_queue);
  const auto& spec = find_job(desk.state(), id)->spec();
  EXPECT_EQ(spec.queue, "normal");
  EXPECT_EQ(spec.app, "batch");
  EXPECT_EQ(spec.plan, "/");
}

TEST(submit, names_that_do_not_exist_are_refused_by_name) {
  Desk desk;
  desk.start();
  EXPECT_EQ(desk.refused(SpecBuilder().queue("nigth")),
            (VerbError{number(Code::NotFound), "nigth: No such queue"}));
  EXPECT_EQ(desk.refused(SpecBuilder().app("trainnig")).text,
            "trainnig: No such application profile");
  EXPECT_EQ(desk.refused(SpecBuilder().plan("/a/b")).text, "/a/b: No such resource plan");
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(submit, a_plan_is_closed_to_those_who_may_not_use_the_one_above_it) {
  Desk desk;
  for (const char* path : {"/a", "/a/b"}) desk.past.config.plans.push_back({.path = path});
  desk.past.config.plans[1].users = {"somebody"};
  desk.past.reconfigure();
  desk.start();
  EXPECT_EQ(desk.refused(SpecBuilder().plan("/a/b")),
            (VerbError{number(Code::Denied), "/a/b: User cannot use the resource plan"}));
}

TEST(submit, sizes_that_make_no_sense_are_refused_with_the_numbers) {
  Desk desk;
  desk.past.config.queues.front().max_tasks = 8;
  desk.past.reconfigure();
  desk.start();
  EXPECT_EQ(desk.refused(SpecBuilder().tasks(3, 2)).text, "-n 3,2: Bad argument");
  EXPECT_EQ(desk.refused(SpecBuilder().tasks(9, 9)).text,
            "Too many processors requested: 9, queue 'normal' allows 8");
  EXPECT_TRUE(desk.submit("all of them", SpecBuilder().tasks(8, 8)));
  EXPECT_EQ(desk.refused(SpecBuilder().elastic().array(1, 2)).code, number(Code::BadArgument));
  SpecBuilder empty;
  empty.spec.program.command.clear();
  EXPECT_EQ(desk.refused(empty).text, "Empty job");
  SpecBuilder endless;
  endless.spec.array = {{1, 10, 0}};
  EXPECT_EQ(desk.refused(endless).text, "Job array index error: 1-10:0");
  endless.spec.array = {{1, ~0u, 1}, {1, ~0u, 1}};
  EXPECT_EQ(desk.refused(endless).code, number(Code::Limit));
  SpecBuilder wordy;
  wordy.spec.program.command = std::string(kMaxSpec, 'x');
  EXPECT_EQ(desk.refused(wordy).code, number(Code::Limit));
}

TEST(submit, a_closed_queue_takes_no_jobs) {
  Desk desk;
  desk.past.step(QueueChanged{"normal", QueueStandingChange::Close, "root", ""});
  desk.start();
  EXPECT_EQ(desk.refused({}), (VerbError{number(Code::Denied), "normal: Queue has been closed"}));
  EXPECT_EQ(desk.jobs(), 0u);
}

}  // namespace
}  // namespace wm::master
