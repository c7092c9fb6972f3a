// Which processes are an MPI runtime, and which its ranks.
#include "libwm/launch/mpi_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(mpi_runtime, on_the_first_host_it_is_the_launcher_and_its_way_to_other_hosts) {
  for (const char* launcher : {"mpirun", "mpirun.openmpi", "orterun", "prterun", "mpiexec"}) {
    auto found = mpi_processes({{10, 1, "sh"},
                                {20, 10, launcher},
                                {21, 20, "blaunch"},
                                {22, 21, "anything"},
                                {30, 20, "solve"},
                                {31, 30, "convert"},
                                {40, 10, "tee"}});
    EXPECT_THAT(found.runtime, ElementsAre(20, 21, 22)) << launcher;
    EXPECT_THAT(found.ranks, ElementsAre(30, 31)) << launcher;
  }
}

TEST(mpi_runtime, on_others_it_is_the_daemon) {
  for (const char* daemon : {"orted", "prted", "hydra_pmi_proxy"}) {
    auto found = mpi_processes({{20, 1, "sh"}, {21, 20, daemon}, {30, 21, "solve"}});
    EXPECT_THAT(found.runtime, ElementsAre(21)) << daemon;
    EXPECT_THAT(found.ranks, ElementsAre(30)) << daemon;
  }
}

TEST(mpi_runtime, a_shell_between_launcher_and_daemon_is_of_it) {
  auto found = mpi_processes({{10, 1, "sh"},
                              {20, 10, "mpirun"},
                              {21, 20, "sh"},
                              {22, 21, "env"},
                              {23, 22, "orted"},
                              {30, 23, "solve"},
                              {31, 30, "sh"},
                              {32, 20, "sh"}});
  EXPECT_THAT(found.runtime, ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(found.ranks, ElementsAre(30, 31, 32));
}

TEST(mpi_runtime, mpich_has_a_daemon_between_on_each_host) {
  auto found = mpi_processes({{20, 1, "mpiexec.hydra"},
                              {21, 20, "hydra_pmi_proxy"},
                              {22, 20, "blaunch"},
                              {30, 21, "solve"}});
  EXPECT_THAT(found.runtime, ElementsAre(20, 21, 22));
  EXPECT_THAT(found.ranks, ElementsAre(30));
}

TEST(mpi_runtime, one_that_has_no_rank_here_is_as_any_program) {
  auto found = mpi_processes({{20, 1, "mpirun"}, {21, 20, "blaunch"}});
  EXPECT_THAT(found.runtime, IsEmpty());
  EXPECT_THAT(found.ranks, IsEmpty());
}

TEST(mpi_runtime, of_several_each_counts_for_itself) {
  auto found = mpi_processes({{20, 1, "mpirun"},
                              {21, 20, "blaunch"},
                              {30, 1, "mpirun"},
                              {31, 30, "blaunch"},
                              {32, 30, "solve"}});
  EXPECT_THAT(found.runtime, ElementsAre(30, 31));
  EXPECT_THAT(found.ranks, ElementsAre(32));
}

TEST(mpi_runtime, an_mpirun_of_a_rank_is_a_runtime_of_its_own) {
  auto found =
      mpi_processes({{20, 1, "mpirun"}, {30, 20, "outer"}, {31, 30, "mpirun"}, {32, 31, "inner"}});
  EXPECT_THAT(found.runtime, ElementsAre(20, 31));
  EXPECT_THAT(found.ranks, ElementsAre(30, 32));
}

TEST(mpi_runtime, a_remote_shell_of_somebody_elses_is_as_any_program) {
  auto found = mpi_processes({{20, 1, "sh"}, {21, 20, "blaunch"}, {22, 20, "solve"}});
  EXPECT_THAT(found.runtime, IsEmpty());
  EXPECT_THAT(found.ranks, IsEmpty());
}

}  // namespace
}  // namespace wm::launch
