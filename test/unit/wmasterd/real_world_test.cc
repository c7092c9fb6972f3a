// What the master's workers do side by side.
#include "daemons/wmasterd/rim/real_world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <latch>

namespace wm::master {
namespace {

TEST(real_world, passes_do_not_wait_behind_answers) {
  const auto dir =
      std::filesystem::path(testing::TempDir()) / ("wm_real_world_" + std::to_string(::getpid()));
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  boost::asio::io_context loop;
  RealWorldOptions options;
  options.state_dir = dir.string();
  options.store_reserve = Bytes{4096};
  auto world = RealWorld::make(loop, std::move(options));
  ASSERT_TRUE(world) << world.error().text;
  std::latch read(1);
  int answered = 0;
  bool passed = false;
  for (int i = 0; i < 8; ++i) (*world)->answer([&] { read.wait(); }, [&] { ++answered; });
  (*world)->work([] {}, [&] { passed = true; });
  auto guard = boost::asio::make_work_guard(loop);
  while (!passed) loop.run_one();
  EXPECT_EQ(answered, 0);
  read.count_down();
  while (answered < 8) loop.run_one();
  (*world)->stop();
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace wm::master
