#include "libwm/submit/modification.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

const Surroundings kAnn{.who = {7, 8, "ann"}, .cwd = "/srv", .home = "/users/ann"};

JobSpec submitted(List args) {
  auto options = parse_options(submit_options(), args, Words::Last).value();
  return make_spec(options, {"run me", ""}, kAnn).value();
}

Result<JobSpec> tried(List args, JobSpec spec) {
  WM_TRY(auto options, parse_options(modify_options(), args, Words::Anywhere));
  WM_TRY(change_spec(options, kAnn, spec));
  return spec;
}

JobSpec changed(List args, const JobSpec& spec) {
  auto result = tried(std::move(args), spec);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : JobSpec();
}

std::string refusal(List args, const JobSpec& spec) {
  auto result = tried(std::move(args), spec);
  return result ? "accepted" : result.error().text;
}

TEST(modification, what_no_option_names_stays) {
  auto before = submitted({"-J",          "sweep[1-9]%2",
                           "-n",          "4",
                           "-W",          "10",
                           "-M",          "2G",
                           "-R",          "select[ngpus>0]",
                           "-oo",         "out",
                           "-E",          "pre",
                           "-Ep",         "post",
                           "-Q",          "3",
                           "-w",          "done(1)",
                           "-ti",         "-x",
                           "-r",          "-m",
                           "a b",         "-sp",
                           "5",           "-cwd",
                           "/x",          "-P",
                           "p",           "-Jd",
                           "text",        "-gpu",
                           "num=2",       "-t",
                           "2030:1:1:1:1"});
  auto after = changed({"-W", "20"}, before);
  EXPECT_EQ(after.run_limit, std::chrono::minutes(20));
  after.run_limit = before.run_limit;
  EXPECT_EQ(after, before);
}

TEST(modification, another_command_is_for_jobs_that_are_no_scripts) {
  auto before = submitted({});
  EXPECT_EQ(changed({"-Z", "run you"}, before).program.command, "run you");
  before.program.script_hash = std::string(32, 'h');
  EXPECT_EQ(refusal({"-Z", "run you"}, before), "-Z: the job is a script, which stays as it is");
}

TEST(modification, what_was_wanted_may_be_taken_back_by_its_n) {
  auto before = submitted({"-outdir", "out", "-notify", "done", "-u", "ann"});
  auto after = changed({"-outdirn", "-notifyn", "-un"}, before);
  EXPECT_EQ(after.files.outdir, "");
  EXPECT_EQ(after.mail, MailWish{});
}

TEST(modification, an_option_means_what_it_means_to_bsub) {
  const List given = {"-n",  "2,8",  "-ar",          "-sizes", "pow2",  "-plan",
                      "/a",  "-app", "training",     "-gpu",   "num=1", "-o",
                      "log", "-b",   "2030:1:1:1:1", "-J",     "name"};
  EXPECT_EQ(changed(given, submitted({})), submitted(given));
}

TEST(modification, one_that_ends_in_n_takes_it_back) {
  const auto bare = submitted({});
  EXPECT_EQ(changed({"-Wn", "-wn",   "-tin", "-xn", "-rn", "-mn", "-spn", "-on",  "-En", "-Epn",
                     "-Qn", "-gpun", "-Rn",  "-Mn", "-tn", "-bn", "-Jdn", "-arn", "-en", "-wan"},
                    submitted({"-W",
                               "1",
                               "-w",
                               "done(1)",
                               "-ti",
                               "-x",
                               "-r",
                               "-m",
                               "a",
                               "-sp",
                               "2",
                               "-o",
                               "f",
                               "-E",
                               "e",
                               "-Ep",
                               "e",
                               "-Q",
                               "1",
                               "-gpu",
                               "-",
                               "-R",
                               "rusage[mem=5]",
                               "-M",
                               "9M",
                               "-t",
                               "2030:1:1:1:1",
                               "-b",
                               "2029:1:1:1:1",
                               "-Jd",
                               "d",
                               "-ar",
                               "-sizes",
                               "hosts",
                               "-e",
                               "f",
                               "-wa",
                               "INT",
                               "-wt",
                               "1"})),
            bare);
}

TEST(modification, what_the_memory_limit_reserved_follows_it) {
  auto spec = submitted({"-M", "2G", "-R", "select[type==any]"});
  EXPECT_EQ(changed({"-M", "3G"}, spec).asked.resreq, "select[type==any] rusage[mem=3072]");
  EXPECT_EQ(changed({"-Mn"}, spec).asked.resreq, "select[type==any]");
  EXPECT_EQ(changed({"-R", "order[slots]"}, spec).asked.resreq, "order[slots] rusage[mem=2048]");
  auto said = submitted({"-M", "2G", "-R", "rusage[mem=100]"});
  EXPECT_EQ(changed({"-M", "3G"}, said).asked.resreq, "rusage[mem=100]");
}

TEST(modification, an_array_keeps_its_elements) {
  auto spec = submitted({"-J", "sweep[1-9]%2"});
  auto renamed = changed({"-J", "other"}, spec);
  EXPECT_EQ(renamed.name, "other");
  EXPECT_EQ(renamed.array, spec.array);
  EXPECT_EQ(renamed.array_limit, 2u);
  EXPECT_EQ(changed({"-J", "%5"}, spec).array_limit, 5u);
  EXPECT_EQ(changed({"-J", "%5"}, spec).name, "sweep");
  EXPECT_EQ(refusal({"-J", "%many"}, spec), "-J %many: Bad argument, a number is wanted after %");
}

TEST(modification, what_does_not_go_together_is_refused) {
  EXPECT_EQ(refusal({}, submitted({})), "bmod: an option is wanted");
  EXPECT_EQ(refusal({"-n", "2,4"}, submitted({"-mpi", "pmix", "-n", "2"})),
            "-mpi pmix: Its ranks are a fixed number; -ar and -n min,max do not go with it");
  EXPECT_EQ(refusal({"-b", "2031:1:1:1:1"}, submitted({"-t", "2030:1:1:1:1"})),
            "Start time is later than termination time");
  EXPECT_EQ(refusal({"-sizes", "pow2"}, submitted({})), "-sizes pow2: It goes with -ar");
  EXPECT_EQ(refusal({"-K"}, submitted({})).find("-K: unknown option"), 0u);
}

}  // namespace
}  // namespace wm::cmd
