#include "libwm/conf/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "libwm/conf/keys.h"
#include "test/support/folder.h"

namespace wm::conf {
namespace {

using testing::HasSubstr;

std::string problems_of(const Texts& texts) {
  auto config = parse(texts);
  return config ? "" : config.error().text;
}

TEST(conf, nothing_configured_is_a_cluster) {
  auto config = parse({});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->cluster.master_port, 6885u);
  EXPECT_NE(config->queue("normal"), nullptr);
  EXPECT_NE(config->plan("/"), nullptr);
  for (const char* app : {"batch", "training", "notebook", "inference"})
    EXPECT_NE(config->app(app), nullptr) << app;
  ASSERT_NE(config->host("localhost"), nullptr);
}

TEST(conf, every_file_reaches_its_struct) {
  auto config =
      parse({{"wm.conf", "[times]\nclean_period = 2h\n[limits]\njob_ports = 21000-21999\n"},
             {"queues.conf", "[normal]\n[high]\npriority = 80\nhosts = gpu\n"},
             {"hosts.conf", "[gpu[01-02]]\ngpus = 4\nmem = 64G\ngroups = gpu\n[login]\n"},
             {"plans.conf", "[/a]\nowns = 2\n[/a/b]\nlimit = 3\n"},
             {"apps.conf", "[training]\nresize = restart\n[mpi]\n"},
             {"users.conf", "[default]\nmax_slots = 4\n[ann]\ngroups = g1 g2\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->cluster.times.clean_period, std::chrono::hours(2));
  EXPECT_EQ(config->cluster.limits.job_port_last, 21999u);
  EXPECT_EQ(config->queue("high")->priority, 80u);
  EXPECT_EQ(config->host("gpu02")->gpus, 4u);
  EXPECT_EQ(config->host("gpu02")->mem, Bytes{64LL << 30});
  EXPECT_EQ(config->host("login")->gpus, std::nullopt);
  EXPECT_EQ(config->plan("/a/b")->limit, 3u);
  EXPECT_EQ(config->app("training")->type, AppType::Training);
  EXPECT_EQ(config->app("training")->resize, ResizeMode::Restart);
  EXPECT_EQ(config->app("mpi")->type, AppType::Batch);
  EXPECT_EQ(config->user("default")->max_slots, 4u);
  EXPECT_EQ(config->user("ann")->groups, (std::vector<std::string>{"g1", "g2"}));
  EXPECT_EQ(config->user("ann")->max_slots, 4u);
}

TEST(conf, default_section_is_where_the_others_start) {
  auto config = parse({{"hosts.conf", "[a]\n[default]\nslots = 3\n[b]\nslots = 5\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->host("a")->slots, 3u);
  EXPECT_EQ(config->host("b")->slots, 5u);
  EXPECT_EQ(config->host("default"), nullptr);
}

TEST(conf, what_is_there_by_itself_starts_from_the_default_section_too) {
  auto config = parse({{"wm.conf", "master_host = m1\n"},
                       {"apps.conf",
                        "[default]\nrun_limit_max = 1h\ntype = notebook\n"
                        "description = x\nwarm_imports = a\n"
                        "[batch]\nrun_limit_max = 2h\n"},
                       {"queues.conf", "[default]\npriority = 7\nrun_limit = 3h\n"},
                       {"hosts.conf", "[default]\nslots = 3\n"}});
  ASSERT_TRUE(config) << config.error().text;
  const auto& training = *config->app("training");
  EXPECT_EQ(training.run_limit.max, std::chrono::hours(1));
  EXPECT_EQ(training.type, AppType::Training);
  EXPECT_EQ(training.warm_imports, (std::vector<std::string>{"torch", "fabric_model"}));
  EXPECT_THAT(training.description, HasSubstr("training"));
  EXPECT_EQ(config->app("batch")->run_limit.max, std::chrono::hours(2));
  EXPECT_EQ(config->app("batch")->type, AppType::Batch);
  EXPECT_EQ(config->queue("normal")->priority, 7u);
  EXPECT_EQ(config->queue("normal")->run_limit.usual, std::chrono::hours(3));
  EXPECT_EQ(config->host("m1")->slots, 3u);
}

TEST(conf, a_notebook_has_a_command_and_may_be_forgotten) {
  auto config = parse({{"wm.conf", "master_host = m1\n"},
                       {"apps.conf",
                        "[notebook]\nidle_limit = 1h\nidle_warning = 10min\n"
                        "[board]\ntype = notebook\ncommand = board --at %s\nidle_cpu = 5\n"}});
  ASSERT_TRUE(config) << config.error().text;
  const auto& notebook = *config->app("notebook");
  EXPECT_EQ(notebook.command, "wm-notebook");
  EXPECT_EQ(notebook.idle, (IdleRule{std::chrono::hours(1), std::chrono::minutes(10), 10}));
  EXPECT_EQ(config->app("board")->command, "board --at %s");
  EXPECT_EQ(config->app("board")->idle.cpu, 5u);
  EXPECT_EQ(config->app("batch")->command, "");
}

TEST(conf, the_root_plan_starts_from_the_default_section_where_it_has_one_of_its_own) {
  auto config = parse({{"plans.conf", "[default]\nlimit = 2\n[/a]\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(*config->plan("/"), PlanConf{});
  EXPECT_EQ(config->plan("/a")->limit, 2u);
}

TEST(conf, an_unknown_key_names_line_and_nearest) {
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\n\npriorty = 3\n"}}),
            "queues.conf:3: unknown key 'priorty' (nearest: priority)");
  EXPECT_EQ(problems_of({{"wm.conf", "[tims]\n"}}),
            "wm.conf:1: unknown section 'tims' (nearest: times)");
  EXPECT_EQ(problems_of({{"wm.conf", "zzzzzzzzzz = 1\n"}}), "wm.conf:1: unknown key 'zzzzzzzzzz'");
}

TEST(conf, wrong_unit_and_range_name_the_line) {
  EXPECT_EQ(problems_of({{"wm.conf", "master_port = 70000\n"}}),
            "wm.conf:1: master_port: 70000 exceeds the most, 65535");
  EXPECT_THAT(problems_of({{"wm.conf", "\nclean_period = 16G\n"}}),
              HasSubstr("wm.conf:2: clean_period: '16G' is not a duration"));
}

TEST(conf, a_time_without_a_unit_is_not_guessed_at) {
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\n\nrun_limit_max = 10\n"}}),
            "queues.conf:3: run_limit_max: '10' has no unit: write 10min or 10s");
  EXPECT_EQ(problems_of({{"plans.conf", "[/a]\nreclaim_grace = 1.5\n"}}),
            "plans.conf:2: reclaim_grace: '1.5' has no unit: write 1.5min or 1.5s");
  auto config = parse({{"queues.conf", "[normal]\nrun_limit = 0\nrun_limit_max = 10min\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->queue("normal")->run_limit.max, std::chrono::minutes(10));
}

TEST(conf, codes_that_requeue_are_read_as_those_of_bsub) {
  auto config = parse({{"queues.conf", "[normal]\nrequeue_exits = 30 EXCLUDE(20)\n"},
                       {"apps.conf", "[a]\nrequeue_exits = all ~1\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->queue("normal")->requeue_exits, (RequeueExits{{20, 30}, {20}}));
  EXPECT_EQ(config->app("a")->requeue_exits.codes.size(), 254u);
  EXPECT_THAT(problems_of({{"apps.conf", "[a]\nrequeue_exits = EXCLUDE()\n"}}),
              HasSubstr("apps.conf:2: requeue_exits: 'EXCLUDE()': EXCLUDE wants exit codes"));
}

TEST(conf, all_problems_are_collected) {
  auto text = problems_of({{"wm.conf", "a = 1\n"}, {"users.conf", "max_slots = 2\n"}});
  EXPECT_EQ(text,
            "wm.conf:1: unknown key 'a'\n"
            "users.conf:1: key 'max_slots' stands outside any section");
}

TEST(conf, duplicates_are_refused) {
  EXPECT_EQ(problems_of({{"hosts.conf", "[n[1-3]]\n[n2]\n"}}),
            "hosts.conf:2: host 'n2' is given twice (first on line 1)");
  EXPECT_EQ(problems_of({{"wm.conf", "[cluster]\nmax_requeue = 3\n[limits]\nmax_requeue = 4\n"}}),
            "wm.conf:4: key 'max_requeue' is given twice (first on line 2)");
}

TEST(conf, references_must_exist) {
  EXPECT_EQ(problems_of({{"wm.conf", "default_queue = nomal\n"}}),
            "wm.conf:1: default_queue: no queue 'nomal' (nearest: normal)");
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\napp = traning\nplan = /x\nhosts = h9\n"}}),
            "queues.conf:2: app: no application profile 'traning' (nearest: training)\n"
            "queues.conf:3: plan: no plan '/x' (nearest: /)\n"
            "queues.conf:4: hosts: no host or host group 'h9'");
  EXPECT_EQ(problems_of({{"plans.conf", "[/a/b]\n"}}),
            "plans.conf:1: plan '/a/b' has no parent: add a section [/a]");
  EXPECT_EQ(problems_of({{"plans.conf", "[a]\n"}}),
            "plans.conf:1: 'a' is not a path such as /research/vision");
}

TEST(conf, contradictions_are_refused) {
  EXPECT_EQ(problems_of({{"plans.conf", "[/a]\nowns = 5\nlimit = 3\n"}}),
            "plans.conf:2: owns: 5 exceeds limit 3");
  EXPECT_EQ(problems_of({{"plans.conf", "[/a]\nlimit = 3\n[/a/b]\nowns = 2\n[/a/c]\nowns = 2\n"}}),
            "plans.conf:2: limit: 3 is below the 4 slots that its children own");
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\nrun_limit = 3h\nrun_limit_max = 2h\n"}}),
            "queues.conf:2: run_limit: 3h exceeds run_limit_max 2h");
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\nmin_tasks = 9\nmax_tasks = 3\n"}}),
            "queues.conf:2: min_tasks: 9 exceeds max_tasks 3");
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\ndefault_tasks = 9\nmax_tasks = 3\n"}}),
            "queues.conf:2: default_tasks: 9 exceeds max_tasks 3");
  EXPECT_EQ(problems_of({{"apps.conf", "[batch]\nmin_tasks = 3\ndefault_tasks = 2\n"}}),
            "apps.conf:3: default_tasks: 2 is below min_tasks 3");
  EXPECT_EQ(problems_of({{"apps.conf", "[batch]\nmin_tasks = 3\nmax_tasks = 2\n"}}),
            "apps.conf:2: min_tasks: 3 exceeds max_tasks 2");
  EXPECT_EQ(problems_of({{"queues.conf", "[normal]\nmin_tasks = 2\ndefault_tasks = 2\n"}}), "");
  EXPECT_EQ(problems_of({{"wm.conf", "silent_after = 1s\n"}}),
            "wm.conf:1: silent_after: 1s does not exceed heartbeat 1s");
}

TEST(conf, requirements_must_parse) {
  EXPECT_THAT(problems_of({{"queues.conf", "[normal]\nres_req = rusage[mem=]\n"}}),
              HasSubstr("queues.conf:2: res_req: Error in rusage section"));
  EXPECT_THAT(problems_of({{"queues.conf", "[normal]\nres_req = rusage[lic=1]\n"}}),
              HasSubstr("queues.conf:2: res_req: lic: Bad resource name"));
  EXPECT_THAT(problems_of({{"apps.conf", "[mpi]\ngpu = nun=1\n"}}),
              HasSubstr("apps.conf:2: gpu: GPU requirement: unknown keyword \"nun\""));
}

TEST(conf, a_missing_directory_is_named) {
  auto config = load("/nonexistent/wm");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::NotFound);
  EXPECT_THAT(config.error().text, HasSubstr("/nonexistent/wm"));
}

std::string refusal(const test::OwnFolder& folder) {
  auto config = load(folder.path());
  return config ? "" : config.error().text;
}

TEST(conf, a_link_that_leads_nowhere_is_no_absent_file) {
  test::OwnFolder folder;
  std::filesystem::create_symlink("/nonexistent/queues", folder.path() + "/queues.conf");
  EXPECT_EQ(refusal(folder), folder.path() + "/queues.conf: No such file or directory");
}

TEST(conf, links_in_a_circle_are_no_absent_file) {
  test::OwnFolder folder;
  std::filesystem::create_symlink("wm.conf", folder.path() + "/wm.conf");
  EXPECT_THAT(refusal(folder), HasSubstr("/wm.conf: Too many levels of symbolic links"));
  EXPECT_EQ(load_cluster(folder.path()).error().code, Code::System);
}

TEST(conf, what_is_no_file_is_refused_by_name) {
  test::OwnFolder folder;
  std::filesystem::create_directory(folder.path() + "/users.conf");
  EXPECT_EQ(refusal(folder), folder.path() + "/users.conf: not a regular file");
}

TEST(conf, what_may_not_be_read_is_no_absent_file) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  test::OwnFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read);
  EXPECT_THAT(refusal(folder), HasSubstr("/wm.conf: Permission denied"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(conf, the_samples_load) {
  auto config = load("etc");
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->plan("/research")->shares, 2u);
}

TEST(conf, a_command_reads_the_cluster_alone) {
  auto cluster = load_cluster("etc");
  ASSERT_TRUE(cluster) << cluster.error().text;
  EXPECT_EQ(cluster->master_host, "localhost");
  EXPECT_EQ(load_cluster("/nonexistent/wm").error().code, Code::NotFound);
}

TEST(conf, commands_of_users_take_what_they_need_of_a_file_with_a_mistake) {
  test::OwnFolder folder;
  std::ofstream(folder.path() + "/wm.conf") << "[cluster]\ncluster_name = c1\n[typo]\nx = 1\n";
  std::vector<std::string> wrong;
  auto cluster = load_cluster(folder.path(), wrong);
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->name, "c1");
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_TRUE(wrong[0].starts_with("wm.conf:3: unknown section 'typo'")) << wrong[0];
  EXPECT_FALSE(load_cluster(folder.path()));  // daemons and ckconfig refuse it
}

// Pieces of configuration files, and bytes that have no place in one.
std::string noise(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"[",
                                                   "]",
                                                   "\n",
                                                   "\n",
                                                   "=",
                                                   " = ",
                                                   "#",
                                                   ".",
                                                   "[gpu[1-3]]\n",
                                                   "[/a]\n",
                                                   "[default]\n",
                                                   "priority",
                                                   "slots",
                                                   "owns",
                                                   "job_ports",
                                                   "9999999999999999999",
                                                   "-",
                                                   "2h",
                                                   "16G",
                                                   "none",
                                                   ",",
                                                   "\r\n",
                                                   "\t",
                                                   std::string(1, '\0'),
                                                   "\xff",
                                                   "[a.]\n",
                                                   "[]\n",
                                                   "=\n",
                                                   "[=]\n",
                                                   "[[[",
                                                   "gpus = 4\n"};
  std::string text;
  for (auto n = random() % 40; n > 0; --n)
    text += random() % 10 == 0 ? std::string(1, static_cast<char>(random()))
                               : kPieces[random() % kPieces.size()];
  return text;
}

TEST(conf, no_bytes_bring_the_reader_down) {
  std::mt19937 random(11);
  for (int i = 0; i < 5000; ++i) {
    std::string file(file_names()[random() % file_names().size()]);
    auto config = parse({{file, noise(random)}});
    ASSERT_TRUE(config || !config.error().text.empty());
  }
}

template <class T>
void defaults_are_within_their_ranges(std::span<const Key<T>> keys) {
  for (const auto& key : keys) {
    T value;
    auto text = show_field(key.field(value));
    auto set = set_field(key.field(value), text, key.range);
    EXPECT_TRUE(set) << key.name << ": " << (set ? "" : set.error().text);
    EXPECT_EQ(value, T()) << key.name;
    EXPECT_FALSE(key.doc.empty()) << key.name;
  }
}

TEST(conf_keys, defaults_read_back_as_themselves) {
  defaults_are_within_their_ranges(cluster_keys());
  defaults_are_within_their_ranges(queue_keys());
  defaults_are_within_their_ranges(host_keys());
  defaults_are_within_their_ranges(plan_keys());
  defaults_are_within_their_ranges(app_keys());
  defaults_are_within_their_ranges(user_keys());
}

}  // namespace
}  // namespace wm::conf
