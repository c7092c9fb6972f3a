#include "libwm/wire/local_door.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "libwm/proc/channel.h"

namespace wm::wire {
namespace {

/// Takes every descriptor that the process may still have.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit low = before_;
    low.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &low);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(local_door, out_of_descriptors_it_waits_and_then_admits_those_who_called) {
  auto path = ::testing::TempDir() + "wm-door-" + std::to_string(::getpid());
  boost::asio::io_context loop;
  auto listening = proc::listen_unix(path);
  ASSERT_TRUE(listening);
  int admitted = 0;
  LocalDoor door(loop, [&](LocalDoor::Socket) { ++admitted; });
  door.open(listening->release());
  loop.poll();
  auto caller = proc::connect_unix(path);
  ASSERT_TRUE(caller);
  {
    NoDescriptors none;
    auto steps = loop.run_for(std::chrono::milliseconds(50));
    EXPECT_LT(steps, 5u) << "it spins";
    EXPECT_EQ(admitted, 0);
  }
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (admitted == 0 && std::chrono::steady_clock::now() < until)
    loop.run_one_for(std::chrono::seconds(1));
  EXPECT_EQ(admitted, 1);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace wm::wire
