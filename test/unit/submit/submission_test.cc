#include "libwm/submit/submission.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

const Surroundings kHere{.who = {7, 8, "ann"},
                         .cwd = "/srv",
                         .home = "/users/ann",
                         .host = "login1",
                         .environment = {"A=1", "B=two words", "LSB_DEFAULTPROJECT=p"},
                         .rows = 50,
                         .columns = 100};

Parsed options(List args) { return parse_options(submit_options(), args, Words::Last).value(); }

Result<JobSpec> made(List args) { return make_spec(options(args), {"run me", ""}, kHere); }

JobSpec spec(List args) {
  auto result = made(args);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : JobSpec();
}

std::string refusal(List args) {
  auto result = made(args);
  return result ? "accepted" : result.error().text;
}

TEST(submission, ranks_by_pmix_are_a_fixed_number) {
  EXPECT_EQ(spec({"-mpi", "pmix", "-n", "8"}).mpi, Mpi::Pmix);
  EXPECT_EQ(spec({"-n", "8"}).mpi, Mpi::None);
  EXPECT_TRUE(spec({"-mpi", "pmix", "-tag"}).files.tag);
  EXPECT_NE(refusal({"-tag"}), "");
  EXPECT_NE(refusal({"-mpi", "pmix", "-tag", "-I"}), "");
  EXPECT_EQ(refusal({"-mpi", "pmi2"}), "-mpi pmi2: Bad argument, pmix is wanted");
  const std::string fixed =
      "-mpi pmix: Its ranks are a fixed number; -ar and -n min,max do not go with it";
  EXPECT_EQ(refusal({"-mpi", "pmix", "-ar", "-n", "2"}), fixed);
  EXPECT_EQ(refusal({"-mpi", "pmix", "-n", "2,4"}), fixed);
}

TEST(submission, a_memory_limit_that_nobody_can_mean_is_doubted) {
  Surroundings here;
  auto doubt = [&](const std::string& size) { return doubt_about(options({"-M", size}), here); };
  EXPECT_EQ(doubt("512"),
            "bsub: -M 512 is 512K of memory: without a unit it is in KB, -M 512M is megabytes");
  EXPECT_NE(doubt("1000!"), "");
  for (auto fine : {"1024", "512K", "512M", "0.5M", "100b", "2000000", "x"})
    EXPECT_EQ(doubt(fine), "") << fine;
  here.limit_unit = Bytes{1 << 20};
  EXPECT_EQ(doubt("512"), "");
  EXPECT_EQ(doubt_about(options({"-n", "2"}), here), "");
}

TEST(submission, a_shell_is_named_by_its_path) {
  EXPECT_EQ(spec({"-L", "/bin/bash"}).program.shell, "/bin/bash");
  EXPECT_NE(refusal({"-L", "bash"}), "");
}

TEST(submission, mail_is_wanted_at_the_start_the_end_and_elsewhere) {
  auto wish = spec({"-B", "-N", "-u", "ann@a.org,bob"}).mail;
  EXPECT_TRUE(wish.at_start);
  EXPECT_TRUE(wish.at_end);
  EXPECT_EQ(wish.to, "ann@a.org,bob");
  EXPECT_EQ(spec({"-n", "1"}).mail, MailWish{});
  EXPECT_NE(refusal({"-u", "ann\nBcc: all"}), "");
  EXPECT_NE(refusal({"-u", ","}), "");
}

TEST(submission, notifications_name_what_they_are_about) {
  EXPECT_EQ(spec({"-notify", "start done"}).mail.notify, (NotifyAt{.start = true, .done = true}));
  EXPECT_EQ(spec({"-notify", "exit,suspend"}).mail.notify,
            (NotifyAt{.exit = true, .suspend = true}));
  EXPECT_EQ(refusal({"-notify", "begin"}),
            "-notify begin: Bad argument, of start, done, exit and suspend some are wanted");
  EXPECT_NE(refusal({"-notify", " "}), "");
  EXPECT_EQ(spec({"-u", "ann,https://h/x"}).mail.to, "ann,https://h/x");
  EXPECT_NE(refusal({"-u", "https://ann:secret@h/"}), "");
}

TEST(submission, long_options_of_lsf_are_not_read_as_letters) {
  auto parsed = options({"-ext", "sched", "-alloc_flags", "x", "-freq", "2", "-Ne"});
  EXPECT_EQ(parsed.ignored, (List{"ext", "alloc_flags", "freq", "Ne"}));
  for (auto name : {"e", "a", "f", "N"}) EXPECT_FALSE(parsed.has(name)) << name;
  for (auto name : {"-hostfile", "-template", "-IS", "-ISp", "-ISs", "-IX"}) {
    auto result = parse_options(submit_options(), List{name, "x"}, Words::Last);
    ASSERT_FALSE(result) << name;
    EXPECT_TRUE(result.error().text.starts_with(std::string(name) + ": ")) << result.error().text;
    EXPECT_EQ(result.error().text.find("unknown option"), std::string::npos);
  }
}

TEST(submission, nothing_given_is_one_task_here) {
  auto s = spec({});
  EXPECT_EQ(s.program.command, "run me");
  EXPECT_EQ(s.program.cwd, "/srv");
  EXPECT_EQ(s.program.home, "/users/ann");
  EXPECT_EQ(s.owner.user, "ann");
  EXPECT_EQ(s.min_tasks, 1u);
  EXPECT_EQ(s.max_tasks, 1u);
  EXPECT_EQ(s.project, "p");
  EXPECT_EQ(s.queue, "");
  EXPECT_FALSE(s.elastic || s.when.hold || s.exclusive || s.rerunnable);
}

TEST(submission, a_job_without_a_number_leaves_it_to_its_queue) {
  EXPECT_TRUE(spec({}).default_tasks);
  EXPECT_TRUE(spec({"-ar", "-gpu", "num=1"}).default_tasks);
  EXPECT_FALSE(spec({"-n", "1"}).default_tasks);
  EXPECT_FALSE(spec({"-nnodes", "1"}).default_tasks);
}

TEST(submission, options_reach_their_fields) {
  auto s = spec({"-ar",   "-n", "2,8",  "-app",  "training", "-plan", "/a", "-gpu",
                 "num=1", "-W", "1:30", "-J",    "x[1-4]%2", "-H",    "-x", "-r",
                 "-P",    "q",  "-m",   "h1 h2", "-cwd",     "sub"});
  EXPECT_TRUE(s.elastic && s.when.hold && s.exclusive && s.rerunnable);
  EXPECT_EQ(s.min_tasks, 2u);
  EXPECT_EQ(s.max_tasks, 8u);
  EXPECT_EQ(s.app, "training");
  EXPECT_EQ(s.plan, "/a");
  EXPECT_EQ(s.asked.gpu, "num=1");
  EXPECT_EQ(s.run_limit, std::chrono::minutes(90));
  EXPECT_EQ(s.name, "x");
  EXPECT_EQ(s.array, (std::vector<IndexRange>{{1, 4, 1}}));
  EXPECT_EQ(s.array_limit, 2u);
  EXPECT_EQ(s.project, "q");
  EXPECT_EQ(s.asked.hosts, (List{"h1", "h2"}));
  EXPECT_EQ(s.program.cwd, "/srv/sub");
}

TEST(submission, streams_come_here_or_go_to_files) {
  EXPECT_EQ(spec({}).console.streams, Streams::Files);
  EXPECT_EQ(spec({"-I"}).console.streams, Streams::Pipes);
  EXPECT_EQ(spec({"-Ip"}).console.streams, Streams::Terminal);
  EXPECT_EQ(spec({"-Is"}).console.streams, Streams::Shell);
  EXPECT_EQ(spec({"-Is"}).console.rows, 50u);
  EXPECT_EQ(spec({}).console.rows, 0u) << "of no interest";
  EXPECT_EQ(refusal({"-I", "-r"}), "Interactive job cannot be rerunnable");
  EXPECT_EQ(refusal({"-Ip", "-J", "a[1-3]"}), "A job array cannot be interactive");
}

TEST(submission, output_is_appended_or_replaced) {
  auto s = spec({"-o", "a", "-eo", "b"});
  EXPECT_EQ(s.files.out, "a");
  EXPECT_FALSE(s.files.out_overwrite);
  EXPECT_EQ(s.files.err, "b");
  EXPECT_TRUE(s.files.err_overwrite);
}

TEST(submission, an_output_directory_is_kept_as_it_was_given) {
  EXPECT_EQ(spec({"-outdir", "out/%J"}).files.outdir, "out/%J");
  EXPECT_NE(refusal({"-outdir", std::string(5000, 'x')}), "");
}

TEST(submission, the_command_line_goes_before_the_script) {
  auto both = [](List args, List script) {
    auto all = options(args);
    append_directives(all, options(script));
    return all;
  };
  auto made = [&](List args, List script) {
    return make_spec(both(args, script), {"x", ""}, kHere).value();
  };
  EXPECT_EQ(made({"-o", "mine"}, {"-oo", "theirs"}).files.out, "mine");
  EXPECT_FALSE(made({"-o", "mine"}, {"-oo", "theirs"}).files.out_overwrite);
  EXPECT_EQ(made({"-e", "mine"}, {"-eo", "theirs"}).files.err, "mine");
  EXPECT_EQ(made({"-i", "mine"}, {"-is", "theirs"}).files.in, "mine");
  EXPECT_TRUE(made({"-r"}, {"-rn"}).rerunnable);
  EXPECT_FALSE(made({"-rn"}, {"-r"}).rerunnable);
  EXPECT_EQ(made({"-I"}, {"-Is"}).console.streams, Streams::Pipes);
  EXPECT_EQ(made({"-e", "x"}, {"-oo", "theirs"}).files.out, "theirs") << "another matter";
  EXPECT_EQ(both({"-env", "none"}, {"-env", "A=1"}).all("env"), List{"none"});
  EXPECT_EQ(both({}, {"-env", "all", "-env", "A=1"}).all("env"), (List{"all", "A=1"}));
}

TEST(submission, requirements_are_joined_and_checked) {
  EXPECT_EQ(spec({"-R", "mem>5", "-R", "rusage[mem=9]"}).asked.resreq,
            "select[mem>5] rusage[mem=9]");
  EXPECT_EQ(spec({"-M", "2G"}).asked.resreq, "rusage[mem=2048]");
  EXPECT_EQ(spec({"-M", "2G", "-R", "rusage[mem=9]"}).asked.resreq, "rusage[mem=9]");
  EXPECT_NE(refusal({"-R", "rusage[mem="}).find("Error in rusage section"), std::string::npos);
  EXPECT_NE(refusal({"-gpu", "nun=1"}).find("nun"), std::string::npos);
}

TEST(submission, nodes_spread_the_tasks) {
  EXPECT_EQ(spec({"-nnodes", "2", "-n", "8"}).asked.resreq, "span[ptile=4]");
  EXPECT_EQ(spec({"-nnodes", "3"}).min_tasks, 3u);
  EXPECT_EQ(refusal({"-nnodes", "3", "-n", "8"}),
            "-nnodes 3: Bad argument, -n is not a multiple of it");
}

TEST(submission, bad_numbers_name_option_and_value) {
  EXPECT_EQ(refusal({"-n", "four"}), "-n four: Bad argument, a number from 1 to 1000000 is wanted");
  EXPECT_EQ(refusal({"-n", "3,2"}), "-n 3,2: Bad argument, max is below min");
  EXPECT_EQ(refusal({"-W", "soon"}),
            "-W soon: Bad argument, [hours:]minutes up to 1000000000 is wanted");
  EXPECT_EQ(refusal({"-M", "lots"}), "-M lots: Bad argument, a size such as 4G is wanted");
  for (auto text : {"0", "-1", "1,", ",2", "2,x", "9999999999"})
    EXPECT_NE(refusal({"-n", text}), "accepted");
}

TEST(submission, run_limits_may_name_a_host) {
  EXPECT_EQ(spec({"-W", "90/hostA"}).run_limit, std::chrono::minutes(90));
  EXPECT_EQ(spec({"-W", "0:00:02"}).run_limit, std::chrono::seconds(2));
}

TEST(submission, queues_are_tried_in_order) {
  EXPECT_EQ(asked_queues(options({"-q", "a b"}), kHere), (List{"a", "b"}));
  EXPECT_EQ(asked_queues(options({}), kHere), (List{""}));
  Surroundings with = kHere;
  with.environment.push_back("LSB_DEFAULTQUEUE=night");
  EXPECT_EQ(asked_queues(options({}), with), (List{"night"}));
}

TEST(submission, programs_are_no_scripts) {
  EXPECT_TRUE(is_script("#!/bin/sh\ntrue\n"));
  EXPECT_TRUE(is_script("#BSUB -n 2\ntrue\n"));
  EXPECT_FALSE(is_script("true\n"));
  EXPECT_FALSE(is_script(std::string_view("#!\0x", 4)));
  EXPECT_EQ(first_command_of("#!/bin/sh\n\n  echo a b \n"), "echo a b");
}

TEST(submission, limits_without_a_unit_are_in_the_sites) {
  const List given = {"-M", "200!", "-v", "3", "-C", "4", "-S", "5", "-D", "6", "-F", "7"};
  JobLimits wanted = spec(given).limits;
  EXPECT_EQ(wanted.mem, Bytes{200 << 10});
  EXPECT_EQ(wanted.data, Bytes{6 << 10});
  auto here = kHere;
  here.limit_unit = here.mem_unit = Bytes{1 << 30};
  auto limits = make_spec(options(given), {"run me", ""}, here).value().limits;
  EXPECT_EQ(limits.mem, Bytes{200LL << 30});
  EXPECT_EQ(limits.swap, Bytes{3LL << 30});
  EXPECT_EQ(limits.core, Bytes{4LL << 30});
  EXPECT_EQ(limits.stack, Bytes{5LL << 30});
  EXPECT_EQ(limits.data, Bytes{6 << 10}) << "always KB";
  EXPECT_EQ(limits.file, Bytes{7 << 10});
}

TEST(submission, memory_that_is_asked_for_without_a_unit_is_kept_in_megabytes) {
  auto asked = [](const char* resreq, Surroundings here) {
    return make_spec(options({"-R", resreq}), {"run me", ""}, here).value().asked.resreq;
  };
  auto here = kHere;
  EXPECT_EQ(asked("rusage[mem=4]", here), "rusage[mem=4]");
  here.mem_unit = Bytes{1 << 30};
  EXPECT_EQ(asked("rusage[mem=4]", here), "rusage[mem=4096]");
  EXPECT_EQ(asked("rusage[mem=4M,ngpus_physical=2]", here), "rusage[mem=4,ngpus_physical=2]");
}

TEST(submission, limits_reach_their_fields) {
  auto s = spec({"-M", "2G", "-c", "1:30", "-F", "5", "-D", "1M", "-S", "2M", "-C", "0", "-v", "3G",
                 "-p", "7", "-T", "9"});
  JobLimits wanted;
  wanted.cpu = std::chrono::minutes(90);
  wanted.mem = Bytes{2LL << 30};
  wanted.file = Bytes{5 << 10};
  wanted.data = Bytes{1 << 20};
  wanted.stack = Bytes{2 << 20};
  wanted.core = Bytes{0};
  wanted.swap = Bytes{3LL << 30};
  wanted.processes = 7;
  wanted.threads = 9;
  EXPECT_EQ(s.limits, wanted);
  EXPECT_EQ(spec({}).limits, JobLimits());
  EXPECT_NE(refusal({"-p", "many"}).find("-p many"), std::string::npos);
  EXPECT_NE(refusal({"-F", "big"}).find("-F big"), std::string::npos);
}

TEST(submission, a_warning_is_a_signals_number_or_a_command_and_needs_its_time) {
  EXPECT_EQ(spec({"-wa", "USR1", "-wt", "5"}).side.warn_action, "10");
  EXPECT_EQ(spec({"-wa", "CHKPNT", "-wt", "5"}).side.warn_action, "10");
  EXPECT_EQ(spec({"-wa", "save.sh now", "-wt", "5"}).side.warn_action, "save.sh now");
  EXPECT_EQ(spec({"-wa", "URG", "-wt", "5"}).side.warn_time, std::chrono::minutes(5));
  EXPECT_NE(refusal({"-wa", "URG"}).find("belong together"), std::string::npos);
  EXPECT_NE(refusal({"-wt", "5"}).find("belong together"), std::string::npos);
}

TEST(submission, a_signal_for_the_end_of_the_window_has_a_name_or_a_number) {
  EXPECT_EQ(spec({"-s", "USR1"}).side.window_signal, 10u);
  EXPECT_EQ(spec({"-s10"}).side.window_signal, 10u);
  EXPECT_EQ(spec({}).side.window_signal, 0u);
  EXPECT_EQ(refusal({"-s", "NOPE"}), "NOPE: Signal not supported");
}

TEST(submission, checkpoints_have_a_folder_a_period_in_minutes_and_a_method) {
  auto checkpoint = spec({"-k", "/ckpt 5 method=site"}).checkpoint;
  EXPECT_EQ(checkpoint, (Checkpoint{"/ckpt", std::chrono::minutes(5), "site"}));
  EXPECT_EQ(spec({"-k", "/ckpt 90s"}).checkpoint.period, std::chrono::seconds(90));
  for (const char* wrong : {"/ckpt x", "/ckpt 5min/", "/ckpt 99999999999", "/ckpt method=a/b", ""})
    EXPECT_NE(refusal({"-k", wrong}).find("-k"), std::string::npos) << wrong;
}

TEST(submission, commands_around_the_job_and_requeue_codes) {
  auto s = spec({"-E", "pre", "-Ep", "post", "-rnc", "tell", "-Q", "3 99"});
  EXPECT_EQ(s.side.pre, "pre");
  EXPECT_EQ(s.side.post, "post");
  EXPECT_EQ(s.side.notify, "tell");
  EXPECT_EQ(s.requeue_exits, (RequeueExits{{3, 99}, {}}));
  EXPECT_NE(refusal({"-Q", "300"}).find("300"), std::string::npos);
  EXPECT_NE(refusal({"-Q", "~"}).find("~"), std::string::npos);
  EXPECT_EQ(spec({"-Q", "1 EXCLUDE(3)"}).requeue_exits, (RequeueExits{{1, 3}, {3}}));
  EXPECT_EQ(refusal({"-Q", "1 EXCLUDE(3"}),
            "-Q 1 EXCLUDE(3: Bad argument, '1 EXCLUDE(3': EXCLUDE wants exit codes in "
            "parentheses: EXCLUDE(3)");
}

TEST(submission, files_to_be_copied_are_absolute_on_this_host) {
  auto s = spec({"-f", "in > /x/in", "-f", "/l/out < out"});
  EXPECT_EQ(s.files.copies, (std::vector<FileCopy>{{"/srv/in", "/x/in", true, false, false},
                                                   {"/l/out", "out", false, true, false}}));
  EXPECT_NE(refusal({"-f", "in"}).find("-f \"in\""), std::string::npos);
}

TEST(submission, an_input_is_read_then_or_copied_now) {
  EXPECT_FALSE(spec({"-i", "a"}).files.in_spooled);
  EXPECT_TRUE(spec({"-is", "a"}).files.in_spooled);
  EXPECT_EQ(spec({"-is", "a"}).files.in, "a");
  EXPECT_NE(refusal({"-i", "a", "-is", "b"}), "accepted");
}

TEST(submission, a_dependency_is_read_where_it_is_typed) {
  auto s = spec({"-w", "done(12) && ended(\"my job\")", "-ti"});
  EXPECT_EQ(s.when.depend, "done(12) && ended(\"my job\")");
  EXPECT_TRUE(s.when.orphan_kill);
  EXPECT_TRUE(refusal({"-w", "done(12"}).starts_with("Dependency condition syntax error"));
  EXPECT_EQ(spec({}).when.depend, "");
}

TEST(submission, begin_and_termination_times_follow_each_other) {
  auto s = spec({"-b", "2026:12:24:18:00", "-t", "2026:12:24:19:30"});
  EXPECT_EQ(s.when.deadline - s.when.begin, Duration(std::chrono::minutes(90)));
  EXPECT_EQ(refusal({"-b", "2026:12:24:18:00", "-t", "2026:12:24:17:00"}),
            "Start time is later than termination time");
  EXPECT_EQ(refusal({"-b", "25:00"}), "25:00: Bad time specification");
  EXPECT_EQ(spec({}).when.begin, WallTime{});
}

}  // namespace
}  // namespace wm::cmd
