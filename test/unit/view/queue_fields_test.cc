#include "libwm/view/queue_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "test/unit/view/listings.h"

namespace wm::view {
namespace {

QueueView queue(std::string name) {
  QueueView view;
  view.conf.name = std::move(name);
  view.conf.priority = 30;
  return view;
}

TEST(queue_status, says_whether_it_takes_and_whether_it_starts_jobs) {
  auto view = queue("normal");
  EXPECT_EQ(queue_status(view), "Open:Active");
  view.closed = true;
  EXPECT_EQ(queue_status(view), "Closed:Active");
  view.inactive = true;
  EXPECT_EQ(queue_status(view), "Closed:Inact");
  view.closed = false;
  EXPECT_EQ(queue_status(view), "Open:Inact");
}

TEST(queue_table, columns_stand_where_lsf_puts_them) {
  auto view = queue("a_queue_with_a_long_name");
  view.conf.max_slots = 40;
  view.conf.user_slots = 4;
  view.conf.host_slots = 2;
  view.jobs = 9;
  view.pending = 5;
  view.running = 3;
  view.suspended = 1;
  EXPECT_EQ(queue_table(std::vector{view}, false, true),
            "QUEUE_NAME     PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP\n"
            "a_queue_with_a  30  Open:Active      40    4    -    2     9     5     3     1\n");
}

TEST(queue_table, wide_keeps_the_name_and_no_limit_is_a_dash) {
  EXPECT_EQ(
      queue_table(std::vector{queue("a_queue_with_a_long_name")}, true, false),
      "a_queue_with_a_long_name  30  Open:Active       -    -    -    -     0     0     0     0\n");
}

TEST(queue_fields, no_limit_is_an_empty_text_in_json) {
  Listing listing{"bqueues", "QUEUES", "queue_name max users"};
  EXPECT_EQ(json_of<QueueView>(listing, queue_fields(), std::vector{queue("q")}),
            "{\n  \"COMMAND\": \"bqueues\",\n  \"QUEUES\": 1,\n  \"RECORDS\": [\n    {\n      "
            "\"QUEUE_NAME\": \"q\",\n"
            "      \"MAX\": \"\",\n      \"USERS\": \"all\"\n    }\n  ]\n}\n");
}

TEST(queue_long_text, shows_limits_and_comment_only_where_there_are_some) {
  auto plain = queue_long_text(queue("q"));
  EXPECT_EQ(plain.find("LIMIT"), std::string::npos);
  EXPECT_EQ(plain.find("COMMENT"), std::string::npos);
  auto view = queue("q");
  view.conf.run_limit.max = std::chrono::minutes(90);
  view.conf.max_tasks = 8;
  view.conf.exclusive = true;
  view.why = "maintenance";
  auto text = queue_long_text(view);
  EXPECT_NE(text.find("MAXIMUM LIMITS:\n RUNLIMIT\n 90.0 min\n\n TASKLIMIT\n 8\n\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("SCHEDULING POLICIES:  FAIRSHARE EXCLUSIVE\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ADMIN ACTION COMMENT:  \"maintenance\""), std::string::npos) << text;
}

TEST(queue_long_text, shows_load_thresholds_controls_and_what_ends_jobs) {
  auto view = queue("q");
  view.conf.load = {{"r1m", 0.7, 2.0}, {"mem", 500.0 * (1 << 20), {}}};
  view.conf.controls = {"nice %USRCMD", "SIGTSTP", "", "./end it"};
  view.conf.terminate_when = {true, false, true};
  auto text = queue_long_text(view);
  EXPECT_NE(
      text.find("SCHEDULING PARAMETERS\n"
                "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem\n"
                " loadSched    -   0.7     -    -       -     -    -     -      -      -   500M\n"
                " loadStop     -     2     -    -       -     -    -     -      -      -      -\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nJOB_STARTER:  nice %USRCMD\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nJOB_CONTROLS:  SUSPEND[SIGTSTP] TERMINATE[./end it]\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nTERMINATE_WHEN:  LOAD WINDOW\n"), std::string::npos) << text;
  EXPECT_NE(queue_long_text(queue("q")).find(" loadSched    -     -"), std::string::npos);
}

TEST(queue_long_text, every_limit_has_its_name_above_its_value) {
  auto view = queue("q");
  auto& conf = view.conf;
  conf.run_limit = {std::chrono::minutes(10), std::chrono::minutes(30)};
  conf.mem_limit = Bytes{2LL << 30};
  conf.min_tasks = 2;
  conf.limits.cpu = std::chrono::minutes(5);
  conf.limits.core = Bytes{0};
  conf.limits.file = Bytes{1500LL << 10};
  conf.limits.processes = 7;
  auto text = queue_long_text(view);
  EXPECT_NE(text.find("DEFAULT LIMITS:\n RUNLIMIT\n 10.0 min\n\n"
                      "MAXIMUM LIMITS:\n CPULIMIT\n 5.0 min\n\n RUNLIMIT\n 30.0 min\n\n"
                      " TASKLIMIT\n 2 2 -\n\n FILELIMIT\n 1.5 M\n\n CORELIMIT\n 0 K\n\n"
                      " MEMLIMIT\n 2 G\n\n PROCESSLIMIT\n 7\n\nSCHEDULING PARAMETERS"),
            std::string::npos)
      << text;
}

TEST(queue_long_text, a_default_number_of_tasks_stands_between_least_and_most) {
  auto view = queue("q");
  auto tasks = [&](std::uint32_t least, std::uint32_t usual, std::uint32_t most) {
    view.conf.min_tasks = least, view.conf.default_tasks = usual, view.conf.max_tasks = most;
    auto text = queue_long_text(view);
    auto at = text.find(" TASKLIMIT\n ");
    return at == text.npos ? "" : text.substr(at + 12, text.find('\n', at + 12) - at - 12);
  };
  EXPECT_EQ(tasks(2, 4, 64), "2 4 64");
  EXPECT_EQ(tasks(0, 4, 8), "1 4 8");
  EXPECT_EQ(tasks(0, 4, 0), "1 4 -");
  EXPECT_EQ(tasks(2, 0, 64), "2 2 64");
  EXPECT_EQ(tasks(0, 1, 8), "8");
  EXPECT_EQ(tasks(0, 0, 0), "");
}

TEST(queue_long_text, names_of_groups_end_with_a_slash) {
  Config config;
  config.users = {{.name = "ann", .groups = {"staff"}}, {.name = "@team"}};
  config.hosts = {{.name = "h1", .groups = {"rack"}}};
  auto view = queue("q");
  view.conf.users = {"staff", "ann", "@team"};
  view.conf.hosts = {"rack+2", "~rack", "h1"};
  auto text = queue_long_text(with_slashes(view, config));
  EXPECT_NE(text.find("USERS:  staff/ ann team/\n"), text.npos) << text;
  EXPECT_NE(text.find("HOSTS:  rack/+2 ~rack/ h1\n"), text.npos) << text;
}

TEST(queue_fields, every_field_of_lsfs_is_known) {
  auto names = names_of(queue_fields());
  auto all = parse_format(
      "queue_name description priority status max jl_u jl_p jl_h njobs pend run susp rsv ususp "
      "ssusp nice max_corelimit max_cpulimit default_cpulimit max_datalimit default_datalimit "
      "max_filelimit max_memlimit default_memlimit max_processlimit default_processlimit "
      "max_runlimit default_runlimit max_stacklimit max_swaplimit max_tasklimit min_tasklimit "
      "default_tasklimit max_threadlimit default_threadlimit res_req hosts",
      names);
  ASSERT_TRUE(all) << all.error().text;
  for (const auto& heading : headings_of(*all, names))
    EXPECT_TRUE(std::ranges::none_of(heading, ::islower)) << heading;
  auto wanted = parse_format("max_runlimit min_tasklimit", names).value();
  EXPECT_EQ(headings_of(wanted, names),
            (std::vector<std::string>{"MAX_RUNLIMIT", "MIN_TASKLIMIT"}));
  EXPECT_EQ(parse_format("pend nonsense", names).error().text, "nonsense: unknown output field");
}

TEST(queue_fields, suspended_slots_are_told_by_who_stopped_them) {
  auto view = queue("q");
  view.suspended = 5, view.parked = 2;
  Listing listing{"bqueues", "QUEUES", "susp ususp ssusp"};
  auto text = json_of<QueueView>(listing, queue_fields(), std::vector{view});
  EXPECT_NE(text.find("\"USUSP\": \"3\",\n      \"SSUSP\": \"2\""), text.npos) << text;
  EXPECT_NE(queue_long_text(view).find("     2     3    0\n"), std::string::npos);
}

TEST(share_info, tells_of_each_plan_that_has_others_below_it) {
  std::vector<PlanView> plans;
  for (auto path : {"/", "/research", "/research/ann", "/sales"}) {
    PlanView plan;
    plan.path = path;
    plan.shares = 10;
    plan.weight_now = 2500;
    plan.used = 3;
    plan.used_lately = 7.6;
    plans.push_back(plan);
  }
  EXPECT_EQ(share_info("q", plans),
            "SHARE_INFO_FOR: q/\n"
            "USER/GROUP   SHARES  PRIORITY  STARTED  RESERVED  CPU_TIME  RUN_TIME   ADJUST\n"
            "research         10     2.500        3         0       0.0         8    0.000\n"
            "sales            10     2.500        3         0       0.0         8    0.000\n"
            "\n"
            "SHARE_INFO_FOR: q/research/\n"
            "USER/GROUP   SHARES  PRIORITY  STARTED  RESERVED  CPU_TIME  RUN_TIME   ADJUST\n"
            "ann              10     2.500        3         0       0.0         8    0.000\n");
}

TEST(queue_long_text, shows_what_jobs_get_that_ask_for_nothing) {
  auto view = queue("q");
  view.conf.gpu = "num=1";
  view.conf.controls.nice = 10;
  view.conf.run_estimate = std::chrono::minutes(30);
  view.conf.max_requeue = 3;
  view.conf.max_preempt = 0;
  auto text = queue_long_text(view);
  EXPECT_NE(text.find("\n 30   10  Open"), std::string::npos) << text;
  for (const char* line :
       {"GPU_REQ:  num=1", "RUNTIME:  30.0 min", "MAX_JOB_REQUEUE:  3", "MAX_JOB_PREEMPT:  0"})
    EXPECT_NE(text.find("\n" + std::string(line) + "\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace wm::view
