// What Open MPI is told where no mpirun speaks for it.
#include "daemons/wagent/ranks/rank_defaults.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace wm::wagent {
namespace {

bool has(const std::vector<std::string>& vars, const std::string& entry) {
  return std::find(vars.begin(), vars.end(), entry) != vars.end();
}

TEST(rank_defaults, open_mpi_knows_that_it_was_started_by_somebody) {
  EXPECT_TRUE(has(rank_defaults({2, true}, 1), "JSM_JSRUN_PORT=1"));
}

TEST(rank_defaults, no_fast_network_is_looked_for_where_there_is_none) {
  auto plain = rank_defaults({2, false}, 1);
  EXPECT_TRUE(has(plain, "OMPI_MCA_pml=ob1"));
  EXPECT_TRUE(has(plain, "OMPI_MCA_btl=self,vader,tcp"));
  EXPECT_FALSE(has(rank_defaults({2, true}, 1), "OMPI_MCA_pml=ob1"));
}

TEST(rank_defaults, a_fast_network_is_one_that_has_a_device) {
  auto place = testing::TempDir() + "/devices." + std::to_string(::getpid());
  EXPECT_FALSE(look_at_host(place).fast_fabric);
  std::filesystem::create_directories(place + "/infiniband");
  EXPECT_FALSE(look_at_host(place).fast_fabric);
  std::filesystem::create_directories(place + "/cxi/cxi0");
  EXPECT_TRUE(look_at_host(place).fast_fabric);
  std::filesystem::remove_all(place);
}

TEST(rank_defaults, ranks_yield_only_where_they_share_cpus) {
  const std::string yield = "OMPI_MCA_mpi_yield_when_idle=1";
  EXPECT_FALSE(has(rank_defaults({8, false}, 8), yield));
  EXPECT_TRUE(has(rank_defaults({8, false}, 9), yield));
}

}  // namespace
}  // namespace wm::wagent
