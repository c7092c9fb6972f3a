// #SBATCH lines as options of bsub.
#include "libwm/submit/sbatch_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "libwm/base/joined.h"
#include "libwm/submit/job_environment.h"
#include "libwm/submit/sbatch_options.h"
#include "libwm/submit/sbatch_values.h"

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

Surroundings sbatch_here() {
  Surroundings made;
  made.cwd = "/home/ann/run";
  made.host = "login1";
  made.home = "/home/ann";
  return made;
}

Result<SbatchWords> translated(const std::string& lines) {
  return sbatch_words("#!/bin/bash\n" + lines + "\nsrun ./a.out\n", "dir/job.sh", sbatch_here());
}

// The words, joined; what every job has in front of them is left out.
std::string translation(const std::string& lines) {
  auto made = translated(lines);
  if (!made) return made.error().text;
  auto text = joined(made->words, " ");
  const std::string usual = "-J job.sh -oo slurm-%J.out ";
  if (text + " " == usual) return "";
  return text.starts_with(usual) ? text.substr(usual.size()) : text;
}

std::string setting(const std::string& lines, const std::string& name) {
  auto made = translated(lines);
  EXPECT_TRUE(made) << (made ? "" : made.error().text);
  if (made)
    for (const auto& entry : made->settings)
      if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return "unset";
}

TEST(sbatch_script, long_and_short_forms_with_blanks_and_equals_are_one) {
  for (const char* line : {"#SBATCH --partition=a,b", "#SBATCH --partition a,b", "#SBATCH -p a,b",
                           "#SBATCH -pa,b", "#SBATCH -p=a,b", "#SBATCH\t-p a,b # the queues"})
    EXPECT_EQ(translation(line), "-q a b") << line;
  EXPECT_EQ(translation("#SBATCH -p a -A 'my project'\n#SBATCH --hold"), "-q a -P my project -H");
}

TEST(sbatch_script, lines_are_read_up_to_the_first_command_from_the_first_column) {
  EXPECT_EQ(
      translation("\n# text\n##SBATCH -p x\n #SBATCH -p y\n#SBATCHX\n#SBATCH -p z\necho\n#SBATCH -p w"),
      "-q z");
  EXPECT_TRUE(has_sbatch_lines("#!/bin/sh\n\n#SBATCH -n 1\n"));
  EXPECT_FALSE(has_sbatch_lines("#!/bin/sh\necho\n#SBATCH -n 1\n"));
  EXPECT_FALSE(has_sbatch_lines("# SBATCH -n 1\n##SBATCH -n 1\n"));
}

TEST(sbatch_script, what_is_not_in_the_table_is_refused_by_name_and_line) {
  auto why = translation("#SBATCH -n 2\n#SBATCH --ntasks-per-socket=2");
  EXPECT_NE(why.find("line 3 of the script: #SBATCH --ntasks-per-socket is not translated"),
            why.npos)
      << why;
  EXPECT_NE(translation("#SBATCH -Z").find("#SBATCH -Z is not translated"), std::string::npos);
  EXPECT_NE(
      translation("#SBATCH --time=soon").find("line 2 of the script: #SBATCH --time: 'soon' is not"),
      std::string::npos);
  EXPECT_NE(translation("#SBATCH --time").find("its value is missing"), std::string::npos);
  EXPECT_NE(translation("#SBATCH job").find("'job' is no option"), std::string::npos);
  EXPECT_NE(translation("#SBATCH --gres=shard:2").find("'shard:2' is not gpu"), std::string::npos);
  EXPECT_NE(translation("#SBATCH -J 'x").find("line 2 of the script"), std::string::npos);
}

TEST(sbatch_script, sizes_are_slots_on_hosts) {
  struct Case {
    const char *lines, *words;
  };
  for (auto [lines, meant] : std::initializer_list<Case>{
           {"#SBATCH -n 8", "-n 8"},
           {"#SBATCH -N 2 --ntasks-per-node=4", "-n 8 -R span[ptile=4]"},
           {"#SBATCH -N 2 -n 8", "-n 8 -R span[ptile=4]"},
           {"#SBATCH -N 3 -n 8", "-n 8 -nnodes 3"},
           {"#SBATCH -N 1 -n 8", "-n 8 -R span[hosts=1]"},
           {"#SBATCH -N 4", "-n 4 -R span[ptile=1]"},
           {"#SBATCH -c 4", "-n 4 -R span[hosts=1]"},
           {"#SBATCH -n 4 -c 2", "-n 8 -R span[block=2]"},
           {"#SBATCH -N 2 --ntasks-per-node=2 -c 3", "-n 12 -R span[ptile=6]"},
           {"#SBATCH -N 2-4", "-n 2 -R span[ptile=1]"},
           {"#SBATCH --exclusive", "-x"},
       })
    EXPECT_EQ(translation(lines), meant) << lines;
}

TEST(sbatch_script, memory_is_of_a_host_or_of_a_slot) {
  EXPECT_EQ(translation("#SBATCH --mem=4G"), "-M 4096M -R rusage[mem=4096M/host]");
  EXPECT_EQ(translation("#SBATCH --mem=500"), "-M 500M -R rusage[mem=500M/host]");
  EXPECT_EQ(translation("#SBATCH --mem=0"), "");
  EXPECT_EQ(translation("#SBATCH -n 6 --mem-per-cpu=2G"), "-n 6 -R rusage[mem=2048M/task]");
  EXPECT_EQ(translation("#SBATCH -c 2 --mem-per-cpu=1G"),
            "-n 2 -M 2048M -R rusage[mem=2048M/host] span[hosts=1]");
}

TEST(sbatch_script, gpus_are_of_a_host_or_of_a_task) {
  EXPECT_EQ(translation("#SBATCH --gres=gpu:2"), "-gpu num=2/host");
  EXPECT_EQ(translation("#SBATCH --gres=gpu:a100:2"), "-gpu num=2/host:gmodel=a100");
  EXPECT_EQ(translation("#SBATCH --gres=gpu"), "-gpu num=1/host");
  EXPECT_EQ(translation("#SBATCH -G 4"), "-gpu num=4/host");
  EXPECT_EQ(translation("#SBATCH -N 2 -G 8"), "-n 2 -gpu num=4/host -R span[ptile=1]");
  EXPECT_EQ(translation("#SBATCH -n 4 --gpus-per-task=1"), "-n 4 -gpu num=1/task");
  EXPECT_EQ(translation("#SBATCH -n 4 --gpus=4"), "-n 4 -gpu num=1/task");
  EXPECT_EQ(translation("#SBATCH --gpus-per-node=v100:1 --mem-per-gpu=10G"),
            "-gpu num=1/host:gmodel=v100 -M 10240M -R rusage[mem=10240M/host]");
  EXPECT_NE(translation("#SBATCH -n 3 --gpus=4").find("--gpus=4 is divided by nothing"),
            std::string::npos);
}

TEST(sbatch_script, names_files_and_arrays) {
  EXPECT_EQ(translation("#SBATCH -J my -o out/%x-%j.log -e %N.%A_%4a"),
            "-J my -oo out/my-%J.log -eo %H.%J_%I");
  EXPECT_EQ(translation("#SBATCH -J my --open-mode=append -o o -e o"), "-J my -o o");
  EXPECT_EQ(translation("#SBATCH -J my -a 1-10:3,12%4"), "-J my[1-10:3,12]%4 -oo slurm-%J_%I.out");
  EXPECT_EQ(translation("#SBATCH -J my --array=0-9%2"), "-J my[1-10]%2 -oo slurm-%J_%Z.out");
  EXPECT_EQ(setting("#SBATCH --array=0-9:3", kTranslated), "1");
  EXPECT_EQ(setting("#SBATCH --array=0-9:3", "SLURM_ARRAY_TASK_MAX"), "9");
  EXPECT_EQ(setting("#SBATCH --array=0-9:3", "SLURM_ARRAY_TASK_COUNT"), "4");
  EXPECT_EQ(setting("#SBATCH --array=1-9", kTranslated), "0");
  EXPECT_NE(translation("#SBATCH -a x").find("#SBATCH --array"), std::string::npos);
  EXPECT_EQ(sbatch_words("#SBATCH -n 1\n", "", sbatch_here())->words[1], "sbatch");
}

TEST(sbatch_script, everything_else_that_has_a_meaning) {
  struct Case {
    const char *lines, *words;
  };
  for (auto [lines, meant] : std::initializer_list<Case>{
           {"#SBATCH -t 1-02:30:00", "-W 1590"},
           {"#SBATCH -t 90", "-W 90"},
           {"#SBATCH -t 10:30", "-W 11"},
           {"#SBATCH -t UNLIMITED", ""},
           {"#SBATCH -D /tmp -i in", "-cwd /tmp -i in"},
           {"#SBATCH -d afterok:12:13,afterany:14_2", "-w done(12) && done(13) && ended(14[2])"},
           {"#SBATCH -d afternotok:12?after:13", "-w (exit(12)) || (started(13))"},
           {"#SBATCH -w n[1-2],m", "-m n1 n2 m"},
           {"#SBATCH -x bad[1-2] -C 'ssd&(zen|milan)'",
            "-R select[hname!='bad1' && hname!='bad2' && (ssd && (zen || milan))]"},
           {"#SBATCH --mail-type=END,FAIL --mail-user=ann@example.org",
            "-notify done exit -u ann@example.org"},
           {"#SBATCH --mail-type=NONE", ""},
           {"#SBATCH --requeue", "-r"},
           {"#SBATCH --no-requeue", "-rn"},
           {"#SBATCH --signal=B:USR1@120", "-wa USR1 -wt 2"},
           {"#SBATCH --export=ALL,A=1", "-env all, A=1"},
           {"#SBATCH --export=NONE", "-env none"},
           {"#SBATCH -b 2026-12-01T16:00:00", "-b 2026:12:01:16:00"},
           {"#SBATCH --qos=high", "-app high"},
           {"#SBATCH --qos=normal --nice=5 --propagate", ""},
       }) {
    auto found = translation(lines);
    EXPECT_TRUE(found.starts_with(meant) && (*meant || found.empty())) << lines << ": " << found;
  }
}

TEST(sbatch_script, variables_that_scripts_read) {
  const std::string lines = "#SBATCH -N 2 --ntasks-per-node=3 -c 4 --mem=8G";
  EXPECT_EQ(setting(lines, "SLURM_NTASKS"), "6");
  EXPECT_EQ(setting(lines, "SLURM_CPUS_PER_TASK"), "4");
  EXPECT_EQ(setting(lines, "SLURM_NTASKS_PER_NODE"), "3");
  EXPECT_EQ(setting(lines, "SLURM_MEM_PER_NODE"), "8192");
  EXPECT_EQ(setting(lines, "SLURM_SUBMIT_DIR"), "/home/ann/run");
  EXPECT_EQ(setting("#SBATCH -n 2", "SLURM_CPUS_PER_TASK"), "unset");
}

TEST(sbatch_script, they_are_in_the_job_whatever_env_says_and_those_of_another_job_are_not) {
  auto around = sbatch_here();
  around.environment = {"A=1", "SLURM_JOB_ID=7", "SLURMD_NODENAME=x", "WM_SBATCH=1"};
  drop_slurm_variables(around.environment);
  EXPECT_EQ(around.environment, (List{"A=1"}));
  around.sbatch = {"WM_SBATCH=0", "SLURM_NTASKS=2"};
  Parsed options;
  options.options["env"] = {"none"};
  EXPECT_EQ(make_environment(options, around)->block,
            std::string("SLURM_NTASKS=2\0WM_SBATCH=0\0", 27));
}

TEST(sbatch_script, a_wrapped_command_is_instead_of_the_script) {
  auto made = translated("#SBATCH --wrap='echo $X'");
  ASSERT_TRUE(made && made->wrap);
  EXPECT_EQ(*made->wrap, "echo $X");
}

TEST(sbatch_options, names_and_letters_are_there_once) {
  std::vector<std::string> names;
  for (const auto& option : sbatch_options()) {
    names.emplace_back(option.name);
    if (option.letter) names.emplace_back(1, option.letter);
  }
  auto all = names.size();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(names.size(), all);
}

TEST(sbatch_options, the_manual_has_every_one) {
  std::ifstream page("commands/bsub.1.md");
  if (!page) GTEST_SKIP() << "not run in the sources' folder";
  std::string text{std::istreambuf_iterator<char>(page), {}};
  for (const auto& option : sbatch_options())
    EXPECT_NE(text.find("--" + std::string(option.name)), text.npos) << option.name;
}

}  // namespace
}  // namespace wm::cmd
