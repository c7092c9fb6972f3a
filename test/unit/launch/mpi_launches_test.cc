// Who has started fewer ranks than the job has slots, and was not asked to.
#include "libwm/launch/mpi_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

const Words kJob{"LSB_DJOB_NUMPROC=8", "WM_HOSTFILE=/h", "OMPI_MCA_orte_default_hostfile=/h",
                 "PRTE_MCA_prte_default_hostfile=/h"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A script (10) that runs the launcher (20), which has started two ranks of a world of so many.
std::vector<JobProcess> job_of(const Words& launcher, std::uint32_t ranks,
                               const Words& program = {"./solve"},
                               const Words& launchers_env = {}) {
  auto env = with(with(kJob, launchers_env), {"OMPI_COMM_WORLD_SIZE=" + std::to_string(ranks)});
  return {{10, 1, {"/bin/sh", "script"}, kJob},
          {20, 10, launcher, with(kJob, launchers_env)},
          {21, 20, program, env},
          {22, 20, program, env}};
}

/// Was it asked, as the launcher's words say?
bool asked(const Words& launcher, const Words& program = {"./solve"}, const Words& env = {}) {
  auto launches = mpi_launches(job_of(launcher, 2, program, env));
  EXPECT_EQ(launches.size(), 1U) << launcher.back();
  return !launches.empty() && launches[0].asked;
}

TEST(mpi_launches, fewer_ranks_than_slots_are_told_in_a_line) {
  auto launches = mpi_launches(job_of({"/usr/bin/mpirun", "./solve"}, 2));
  EXPECT_THAT(launches, ElementsAre(MpiLaunch{20, "mpirun", 2, 8, false}));
  EXPECT_THAT(few_ranks_line(launches[0]),
              HasSubstr("WARNING: mpirun started 2 ranks in a job of 8 slots"));
  launches[0].ranks = 1;
  EXPECT_THAT(few_ranks_line(launches[0]), HasSubstr("started 1 rank in"));
}

TEST(mpi_launches, as_many_as_slots_or_more_are_not) {
  EXPECT_EQ(few_ranks_line({20, "mpirun", 8, 8, false}), "");
  EXPECT_EQ(few_ranks_line({20, "mpirun", 9, 8, false}), "");
  EXPECT_EQ(few_ranks_line({20, "mpirun", 2, 0, false}), "") << "the slots are not known";
  EXPECT_EQ(few_ranks_line({20, "mpirun", 2, 8, true}), "") << "it was asked";
}

TEST(mpi_launches, who_says_how_many_or_where_has_asked) {
  for (const char* option :
       {"-np", "-n", "--n", "-N", "-ppn", "-perhost", "--npernode", "--map-by", "-hostfile",
        "--hostfile", "-machinefile", "--host", "-H", "-hosts", "-f", "--rankfile", "-configfile"})
    EXPECT_TRUE(asked({"mpirun", option, "2", "./solve"})) << option;
  EXPECT_TRUE(asked({"mpirun", "--map-by=ppr:1:node", "./solve"}));
  EXPECT_TRUE(asked({"mpirun", "--mca", "rmaps_base_mapping_policy", "node", "./solve"}));
  EXPECT_TRUE(asked({"mpirun", "--prtemca", "prte_default_hostfile", "/mine", "./solve"}));
  EXPECT_TRUE(asked({"mpirun", "--bind-to", "none", "-np", "2", "./solve"}));
  EXPECT_TRUE(asked({"mpirun", "--mca", "btl", "self,tcp", "-np", "2", "./solve"}));
  EXPECT_TRUE(asked({"mpirun", "--tag-output", "-q", "-np", "2", "./solve"})) << "after flags";
  EXPECT_TRUE(asked({"mpiexec.hydra", "-genv", "A", "1", "-n", "2", "./solve"}));
}

TEST(mpi_launches, who_says_other_things_has_not) {
  EXPECT_FALSE(asked({"mpirun", "--oversubscribe", "./solve"}));
  EXPECT_FALSE(asked({"mpirun", "-x", "PATH", "--bind-to", "none", "./solve"}));
  EXPECT_FALSE(asked({"mpirun", "--mca", "btl", "self,tcp", "./solve"}));
  EXPECT_FALSE(asked({"mpirun", "./solve", "-n", "5"}, {"./solve", "-n", "5"})) << "the program's";
  EXPECT_FALSE(asked({"mpirun", "-q", "./solve", "-n", "5"}, {"./solve", "-n", "5"}));
  EXPECT_FALSE(asked({"mpirun", "-q", "./solve", "-n", "5"}, {"/bin/sh", "./solve", "-n", "5"}))
      << "a script's";
  EXPECT_FALSE(asked({"mpirun", "sh", "-c", "exec ./solve"}, {"./solve"}));
}

TEST(mpi_launches, variables_of_the_launcher_ask_too) {
  for (const char* entry : {"OMPI_MCA_rmaps_base_mapping_policy=node",
                            "PRTE_MCA_rmaps_default_mapping_policy=node", "HYDRA_HOST_FILE=/mine"})
    EXPECT_TRUE(asked({"mpirun", "./solve"}, {"./solve"}, {entry})) << entry;
  EXPECT_FALSE(asked({"mpirun", "./solve"}, {"./solve"}, {"OMPI_MCA_btl=self,tcp"}));
  auto others = job_of({"mpirun", "./solve"}, 2);
  others[1].env = {"LSB_DJOB_NUMPROC=8", "WM_HOSTFILE=/h", "OMPI_MCA_orte_default_hostfile=/mine"};
  EXPECT_TRUE(mpi_launches(others).at(0).asked) << "another host file than the job's";
}

TEST(mpi_launches, hydra_and_what_ranks_start_are_seen_through) {
  auto of_pmi = with(kJob, {"PMI_SIZE=3", "PMI_RANK=0"});
  std::vector<JobProcess> job{{20, 10, {"mpiexec.hydra", "sh", "-c", "./a"}, kJob},
                              {30, 20, {"/usr/bin/hydra_pmi_proxy", "--rmk", "user"}, kJob},
                              {31, 30, {"sh", "-c", "./a"}, of_pmi},
                              {32, 31, {"./a"}, of_pmi}};
  EXPECT_THAT(mpi_launches(job), ElementsAre(MpiLaunch{20, "mpiexec.hydra", 3, 8, false}));
}

TEST(mpi_launches, each_launcher_has_its_own_and_its_largest_world_counts) {
  auto job = job_of({"mpirun", "./solve"}, 8);
  job.push_back({23, 22, {"./spawned"}, with(kJob, {"OMPI_COMM_WORLD_SIZE=1"})});
  job.push_back({40, 10, {"prterun", "-n", "1", "./other"}, kJob});
  job.push_back({41, 40, {"./other"}, with(kJob, {"OMPI_COMM_WORLD_SIZE=1"})});
  EXPECT_THAT(mpi_launches(job), ElementsAre(MpiLaunch{20, "mpirun", 8, 8, false},
                                             MpiLaunch{40, "prterun", 1, 8, true}));
}

TEST(mpi_launches, without_ranks_or_a_launcher_there_is_nothing_to_say) {
  EXPECT_THAT(mpi_launches({}), IsEmpty());
  EXPECT_THAT(mpi_launches({{20, 10, {"mpirun", "./solve"}, kJob}}), IsEmpty());
  EXPECT_THAT(mpi_launches({{21, 20, {"./solve"}, {"OMPI_COMM_WORLD_SIZE=2"}}}), IsEmpty());
  EXPECT_THAT(mpi_launches({{20, 20, {"sh"}, kJob}, {21, 20, {}, {"PMI_SIZE=2"}}}), IsEmpty());
  EXPECT_THAT(mpi_launches({{20, 1, {"mpirun"}, kJob}, {21, 20, {"a"}, {"PMI_SIZE=many"}}}),
              IsEmpty());
}

}  // namespace
}  // namespace wm::launch
