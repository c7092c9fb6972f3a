// What a submission is refused for, with the object, the value and the limit, and what it is given
// where it says nothing. Against the real core on a simulated env.
#include <gtest/gtest.h>

#include <array>

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

TEST(submit, a_launcher_whose_options_contradict_the_size_is_taken_and_warned_of) {
  Desk desk;
  desk.start();
  auto spec = SpecBuilder().tasks(2, 2);
  spec.spec.program.command = "torchrun --nnodes 3 train.py";
  desk.submit("one", spec);
  EXPECT_EQ(desk.first.last<SubmitReply>().warnings,
            std::vector<std::string>{"the command says --nnodes 3, but the job has room for 2 "
                                     "processes in all"});
  spec.spec.program.command = "torchrun --nnodes 2 train.py";
  desk.submit("two", spec);
  EXPECT_TRUE(desk.first.last<SubmitReply>().warnings.empty());
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
  SpecBuilder empty;
  empty.spec.program.command.clear();
  EXPECT_EQ(desk.refused(empty).text, "Empty job");
  SpecBuilder endless;
  endless.spec.array = {{1, 10, 0}};
  EXPECT_EQ(desk.refused(endless).text, "Job array index error: 1-10:0");
  endless.spec.array = {{1, ~0u, 1}, {1, ~0u, 1}};
  EXPECT_EQ(desk.refused(endless).code, number(Code::Limit));
  endless.spec.array = {{1, 3, 1}, {2, 5, 1}};
  EXPECT_EQ(desk.refused(endless).text, "Job array index error: an index is named twice");
  endless.spec.array = {{1, 5, 2}, {2, 6, 2}};
  EXPECT_TRUE(desk.submit("odd and even", endless));
  SpecBuilder wordy;
  wordy.spec.program.command = std::string(kMaxSpec, 'x');
  EXPECT_EQ(desk.refused(wordy).code, number(Code::Limit));
}

// "least / usual / most" of what a job without -n has.
std::string tasks_unless_said(std::array<std::uint32_t, 3> queue,
                              std::array<std::uint32_t, 3> app) {
  Desk desk;
  auto set = [](auto& conf, auto numbers) {
    conf.min_tasks = numbers[0], conf.default_tasks = numbers[1], conf.max_tasks = numbers[2];
  };
  set(desk.past.config.queues.front(), queue);
  set(desk.past.config.apps.front(), app);
  desk.past.reconfigure();
  desk.start();
  SpecBuilder open;
  open.spec.default_tasks = true;
  const JobSpec& made = find_job(desk.state(), desk.submit("open", open))->spec();
  return std::to_string(made.min_tasks) + "," + std::to_string(made.max_tasks);
}

TEST(submit, a_job_without_a_number_has_that_of_its_profile_or_queue) {
  EXPECT_EQ(tasks_unless_said({}, {}), "1,1");
  EXPECT_EQ(tasks_unless_said({0, 0, 8}, {}), "1,1");
  EXPECT_EQ(tasks_unless_said({2, 0, 8}, {}), "2,2") << "the least, as in LSF";
  EXPECT_EQ(tasks_unless_said({2, 4, 8}, {}), "4,4");
  EXPECT_EQ(tasks_unless_said({2, 4, 8}, {0, 3, 8}), "3,3") << "the profile's first";
  EXPECT_EQ(tasks_unless_said({2, 4, 8}, {3, 0, 8}), "3,3");
  EXPECT_EQ(tasks_unless_said({0, 4, 8}, {0, 1, 8}), "1,1");
  EXPECT_EQ(tasks_unless_said({0, 4, 8}, {0, 0, 8}), "4,4");
}

TEST(submit, a_number_that_is_said_goes_before_the_queues) {
  Desk desk;
  desk.past.config.queues.front().default_tasks = 4;
  desk.past.config.queues.front().max_tasks = 8;
  desk.past.reconfigure();
  desk.start();
  auto id = desk.submit("said", SpecBuilder().tasks(1, 1));
  EXPECT_EQ(find_job(desk.state(), id)->spec().min_tasks, 1u);
  SpecBuilder grouped = SpecBuilder().group({.name = "a", .min_tasks = 1, .max_tasks = 1});
  grouped.spec.default_tasks = true;
  id = desk.submit("grouped", grouped);
  EXPECT_EQ(find_job(desk.state(), {id.job, 1})->spec().min_tasks, 1u) << "groups say it";
}

TEST(submit, a_closed_queue_takes_no_jobs) {
  Desk desk;
  desk.past.step(QueueChanged{"normal", QueueStandingChange::Close, "root", ""});
  desk.start();
  EXPECT_EQ(desk.refused({}), (VerbError{number(Code::Denied), "normal: Queue has been closed"}));
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(submit, a_profile_has_limits_as_a_queue_has) {
  Desk desk;
  AppConf& app = desk.past.config.apps.front();
  ASSERT_EQ(app.name, "batch");
  app.min_tasks = 2, app.max_tasks = 4;
  app.limits.processes = 10;
  app.run_estimate = std::chrono::minutes(5);
  desk.past.reconfigure();
  desk.start();
  EXPECT_EQ(desk.refused(SpecBuilder().tasks(1, 1)).text,
            "Too few processors requested: 1, application profile 'batch' asks for 2");
  EXPECT_EQ(desk.refused(SpecBuilder().tasks(5, 5)).text,
            "Too many processors requested: 5, application profile 'batch' allows 4");
  SpecBuilder many = SpecBuilder().tasks(2, 2);
  many.spec.limits.processes = 11;
  EXPECT_EQ(desk.refused(many).text,
            "-p: Cannot exceed profile's hard limit(s): application profile 'batch'");
  auto id = desk.submit("fits", SpecBuilder().tasks(2, 2));
  EXPECT_EQ(find_job(desk.state(), id)->spec().limits.processes, 10u);
  EXPECT_EQ(find_job(desk.state(), id)->spec().run_estimate, std::chrono::minutes(5));
}

TEST(submit, a_queue_says_which_gpus_and_how_long_where_nobody_else_does) {
  Desk desk;
  QueueConf& queue = desk.past.config.queues.front();
  queue.gpu = "num=2:mode=shared:gmem=4G";
  queue.run_estimate = std::chrono::minutes(7);
  desk.past.reconfigure();
  desk.start();
  auto id = desk.submit("one", {});
  EXPECT_EQ(find_job(desk.state(), id)->spec().task.milli_gpus, 2000u);
  EXPECT_EQ(find_job(desk.state(), id)->spec().run_estimate, std::chrono::minutes(7));
  SpecBuilder own;
  own.spec.asked.gpu = "num=1";
  own.spec.run_estimate = std::chrono::minutes(1);
  id = desk.submit("two", own);
  EXPECT_EQ(find_job(desk.state(), id)->spec().task.milli_gpus, 1000u);
  EXPECT_EQ(find_job(desk.state(), id)->spec().task.gpu_mem, Bytes{4LL << 30});
  EXPECT_EQ(find_job(desk.state(), id)->spec().run_estimate, std::chrono::minutes(1));
}

TEST(submit, no_priority_is_higher_than_the_site_allows) {
  Desk desk;
  desk.past.config.cluster.limits.max_user_priority = 50;
  desk.past.reconfigure();
  desk.start();
  SpecBuilder urgent;
  urgent.spec.user_priority = 51;
  EXPECT_EQ(desk.refused(urgent).text, "-sp 51: Bad user priority: at most 50");
  urgent.spec.user_priority = 50;
  EXPECT_TRUE(desk.submit("most", urgent));
}

TEST(submit, a_name_in_a_condition_may_mean_the_newest_job_alone) {
  for (bool last : {false, true}) {
    Desk desk;
    desk.past.config.cluster.lsf.dep_last_sub = last;
    desk.past.reconfigure();
    desk.start();
    SpecBuilder like;
    like.spec.name = "like";
    auto older = desk.submit("one", like), newer = desk.submit("two", like);
    SpecBuilder waits;
    waits.spec.when.depend = "done(like)";
    auto id = desk.submit("three", waits);
    auto depend = find_job(desk.state(), id)->spec().when.depend;
    EXPECT_EQ(depend.find("(" + to_string(older) + ")") == depend.npos, last) << depend;
    EXPECT_NE(depend.find("(" + to_string(newer) + ")"), depend.npos) << depend;
  }
}

TEST(submit, no_more_jobs_wait_than_the_site_allows) {
  Desk desk;
  desk.past.config.cluster.limits.max_pend_jobs = 5;
  desk.past.config.users.push_back({.name = "default", .max_pend_jobs = 3});
  desk.past.reconfigure();
  desk.start();
  desk.submit("one", {});
  EXPECT_EQ(desk.refused(SpecBuilder().array(1, 3)).text,
            "Pending job threshold reached: 1 jobs of user <" + std::string(kUser.user) +
                "> wait, the limit is 3");
  desk.submit("two", SpecBuilder().array(1, 2));
  auto refused = desk.refused({});
  EXPECT_EQ(refused.code, number(Code::Limit));
  desk.ask(Verb::Kill, desk.kill({1, 0}));
  EXPECT_TRUE(desk.submit("three", {})) << "what has ended makes room";
}

}  // namespace
}  // namespace wm::master
