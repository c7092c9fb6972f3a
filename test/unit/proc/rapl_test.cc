// Energy of processors, from a folder that looks like the kernel's.
#include "libwm/proc/rapl.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/store_files.h"

namespace wm::proc {
namespace {

class rapl : public ::testing::Test {
 protected:
  void zone(const std::string& zone, const std::string& name, std::int64_t uj) {
    auto path = dir_.path() + "/" + zone;
    std::filesystem::create_directories(path);
    std::ofstream(path + "/name") << name << "\n";
    std::ofstream(path + "/energy_uj") << uj << "\n";
    std::ofstream(path + "/max_energy_range_uj") << 10'000'000 << "\n";
  }
  test::ScratchDir dir_;
  Rapl rapl_{dir_.path()};
};

TEST_F(rapl, packages_count_once_and_their_parts_not_at_all) {
  zone("intel-rapl:0", "package-0", 1'000'000), zone("intel-rapl:1", "package-1", 0);
  zone("intel-rapl:0:0", "core", 500'000), zone("intel-rapl:2", "psys", 7'000'000);
  zone("intel-rapl-mmio:0", "package-0", 1'000'000);
  EXPECT_EQ(rapl_.since_last_mj(), std::nullopt) << "nobody knows since when";
  zone("intel-rapl:0", "package-0", 3'000'000), zone("intel-rapl:1", "package-1", 500'000);
  zone("intel-rapl:2", "psys", 9'000'000);
  EXPECT_EQ(rapl_.since_last_mj(), 2500);
}

TEST_F(rapl, a_counter_that_came_to_its_end_began_anew) {
  zone("intel-rapl:0", "package-0", 9'500'000);
  rapl_.since_last_mj();
  zone("intel-rapl:0", "package-0", 250'000);
  EXPECT_EQ(rapl_.since_last_mj(), 750);
}

TEST_F(rapl, where_nothing_counts_nothing_is_told) {
  EXPECT_EQ(Rapl(dir_.path() + "/none").since_last_mj(), std::nullopt);
  zone("intel-rapl:0", "package-0", 1);
  std::filesystem::remove(dir_.path() + "/intel-rapl:0/energy_uj");
  rapl_.since_last_mj();
  EXPECT_EQ(rapl_.since_last_mj(), std::nullopt);
}

}  // namespace
}  // namespace wm::proc
