#include "libwm/submit/job_environment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libwm/model/inheritance.h"

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

const Surroundings kShell{.environment = {"A=1", "B=two words", "LSB_DEFAULTPROJECT=p"}};

Result<JobEnvironment> environment_of(List args) {
  return make_environment(parse_options(submit_options(), args, Words::Last).value(), kShell);
}

// The environment block as readable text.
std::string env(List args) {
  auto result = environment_of(args);
  if (!result) return result.error().text;
  for (auto& c : result->block) c = c == '\0' ? ';' : c;
  return result->block;
}

TEST(job_environment, environment_is_whole_unless_said) {
  EXPECT_EQ(env({}), "A=1;B=two words;LSB_DEFAULTPROJECT=p;");
  EXPECT_EQ(env({"-env", "none"}), "");
  EXPECT_EQ(env({"-env", "all, A=9, ~B"}), "A=9;LSB_DEFAULTPROJECT=p;");
  EXPECT_EQ(env({"-env", "B,C=x=y,NOSUCH"}), "B=two words;C=x=y;");
  EXPECT_EQ(env({"-env", "none", "-env", "X=1", "-env", "Y=2"}), "X=1;Y=2;");
  EXPECT_NE(env({"-env", "=3"}).find("Bad argument"), std::string::npos);
}

TEST(job_environment, quoted_values_hold_commas_and_blanks) {
  EXPECT_EQ(env({"-env", "X='a,b', Y=\"c, d \",Z='e'f"}), "X=a,b;Y=c, d ;Z=ef;");
  EXPECT_EQ(env({"-env", "X=it's,Y=''"}), "X=it's;Y=;") << "only a quote that begins the value";
  EXPECT_EQ(env({"-env", "X='a,b"}), "-env X='a,b: Bad argument, a quote is not closed");
}

TEST(job_environment, a_job_to_go_on_from_is_named_and_never_inherited) {
  EXPECT_EQ(env({"-env", "none", "-resume", "12[3]"}), "WM_RESUME_FROM=12[3];");
  EXPECT_EQ(env({"-env", "WM_RESUME_FROM=/of/the/job/that/submits"}), "");
  EXPECT_EQ(env({"-resume", "12x"}),
            "-resume 12x: Bad argument, a job's number is wanted, as 12 or 12[3]");
}

TEST(job_environment, a_request_names_whom_it_goes_on_from_apart_from_its_variables) {
  JobRequest asked;
  asked.environment = {{"WM_RESUME_FROM", "/of/the/job/that/submits"}, {"A", "1"}};
  EXPECT_EQ(make_environment(asked, {})->block, std::string("A=1\0", 4));
  asked.resume = "12";
  EXPECT_EQ(make_environment(asked, {})->block, std::string("A=1\0WM_RESUME_FROM=12\0", 22));
  asked.resume = "12x";
  EXPECT_FALSE(make_environment(asked, {}));
}

TEST(job_environment, the_torch_of_its_own_path_is_noted_and_never_inherited) {
  Surroundings here{.environment = {"PATH=/venv/bin", "WM_TORCH=9"}};
  auto torch = [&](List args) {
    auto made = make_environment(parse_options(submit_options(), args, Words::Last).value(), here);
    auto at = made->block.find("WM_TORCH=");
    return at == made->block.npos ? "" : std::string(made->block.c_str() + at);
  };
  EXPECT_EQ(torch({}), "") << "nobody looks";
  here.torch_of = [](const std::string& path, const std::string&) {
    return path == "/venv/bin" ? "2.1.0" : "";
  };
  EXPECT_EQ(torch({}), "WM_TORCH=2.1.0");
  EXPECT_EQ(torch({"-env", "PATH=/usr/bin"}), "");
  EXPECT_EQ(torch({"-env", "none"}), "");
}

TEST(job_environment, names_without_a_value_here_are_told) {
  EXPECT_EQ(environment_of({"-env", "all, A, NOSUCH"})->unset, List{"NOSUCH"});
  EXPECT_EQ(environment_of({"-env", "X=a,b"})->unset, List{"b"})
      << "a comma that was meant for the value";
  EXPECT_EQ(environment_of({})->unset, List{});
}

TEST(job_environment, what_wm_has_set_for_the_job_around_is_not_inherited_unless_it_is_named) {
  const Surroundings job{.environment = {"RANK=1", "MASTER_PORT=7", "A=1",
                                         "WM_OWN=" + own_entry("RANK", "1") + " " +
                                             own_entry("MASTER_PORT", "29500")}};
  auto block = [&](List args) {
    auto text =
        make_environment(parse_options(submit_options(), args, Words::Last).value(), job)->block;
    std::ranges::replace(text, '\0', ';');
    return text;
  };
  EXPECT_EQ(block({}), "A=1;MASTER_PORT=7;") << "the submitter's own port stays";
  EXPECT_EQ(block({"-env", "all, B=2"}), "A=1;B=2;MASTER_PORT=7;");
  EXPECT_EQ(block({"-env", "RANK"}), "RANK=1;");
  EXPECT_EQ(make_environment(JobRequest{}, job)->block, std::string("A=1\0MASTER_PORT=7\0", 18));
}

}  // namespace
}  // namespace wm::cmd
