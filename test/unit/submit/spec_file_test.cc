// Role: a submission as JSON: which words of bsub it stands for, and how faults are named.
#include "libwm/submit/spec_file.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

std::string file_refusal(std::string_view text) {
  auto file = read_spec_file(text);
  return file ? "" : file.error().text;
}

TEST(spec_file, keys_are_options_under_other_names) {
  auto file = read_spec_file(R"({"command":"true","elastic":true,"hold":false,"name":"a b",
                                 "run_limit":"1:30","tasks":4})");
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->command, "true");
  EXPECT_EQ(file->options, (List{"-ar", "-J", "a b", "-W", "1:30", "-n", "4"}));
}

TEST(spec_file, groups_have_sizes_requirements_and_a_way_to_end) {
  auto file = read_spec_file(R"({"groups":[
    {"name":"chief","command":"c"},
    {"name":"k","role":"kernel","command":"k","min":0,"max":8,"restart":"independent",
     "cpus":2,"memory":"4G","gpu":"num=1","resreq":"select[ut<0.5]"},
    {"name":"w","command":"w","tasks":3}]})");
  ASSERT_TRUE(file) << file.error().text;
  ASSERT_EQ(file->groups.size(), 3u);
  EXPECT_EQ(file->groups[0].max_tasks, 1u);
  const TaskGroup& k = file->groups[1];
  EXPECT_EQ(k.min_tasks, 0u);
  EXPECT_EQ(k.max_tasks, 8u);
  EXPECT_EQ(k.restart, Restart::Independent);
  EXPECT_EQ(k.resreq, "select[ut<0.5] rusage[mem=4G/task] affinity[core(2)]");
  EXPECT_EQ(file->groups[2].min_tasks, 3u);
}

TEST(spec_file, executions_have_words_of_their_own) {
  auto file = read_spec_file(R"({"command":"x","framework":"PyTorch","labels":{"a":"1"},
                                 "pending_limit":"30","open":true})");
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->exec.framework, "PyTorch");
  EXPECT_EQ(file->exec.labels.at("a"), "1");
  EXPECT_EQ(file->exec.pending_limit, std::chrono::minutes(30));
  EXPECT_TRUE(file->open);
}

TEST(spec_file, faults_name_the_key_and_what_is_wanted) {
  EXPECT_EQ(file_refusal(R"({"quue":"x"})"), "-spec: quue: is no key here; did you mean 'queue'?");
  EXPECT_EQ(file_refusal(R"({"groups":[{"name":"a","taskz":1}]})"),
            "-spec: groups[0].taskz: is no key here; did you mean 'tasks'?");
  EXPECT_EQ(file_refusal(R"({"elastic":"yes"})"), "-spec: elastic: true or false is wanted");
  EXPECT_EQ(file_refusal(R"({"groups":[{"tasks":-1}]})"),
            "-spec: groups[0].tasks: a number from 0 to 1000000 is wanted");
  EXPECT_EQ(file_refusal(R"({"groups":{}})"), "-spec: groups: a list [...] is wanted");
  EXPECT_EQ(file_refusal(R"({"groups":[{"restart":"never"}]})"),
            "-spec: groups[0].restart: 'never': with-job or independent is wanted");
  EXPECT_EQ(file_refusal("[]"), "-spec: the file: an object {...} is wanted");
  EXPECT_NE(file_refusal("{\"a\":").find("parse error at line 1"), std::string::npos);
}

}  // namespace
}  // namespace wm::cmd
