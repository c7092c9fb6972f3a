// Role: the starter of a daemon hears when it is ready, once, and its children say nothing.
#include "libwm/proc/ready.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "test/support/store_files.h"

namespace wm::proc {
namespace {

TEST(ready, is_told_on_the_starters_socket_and_not_passed_on) {
  test::ScratchDir dir;
  auto path = dir.path() + "/ready";
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof(at.sun_path));
  std::memcpy(at.sun_path, path.data(), path.size());
  int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  tell_ready();
  char words[64] = "";
  EXPECT_EQ(::recv(socket, words, sizeof(words), 0), 7);
  EXPECT_STREQ(words, "READY=1");
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  tell_ready();
  EXPECT_LT(::recv(socket, words, sizeof(words), 0), 0);
  ::close(socket);
}

TEST(ready, a_socket_that_is_not_there_harms_nothing) {
  ::setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
  tell_ready();
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
}

}  // namespace
}  // namespace wm::proc
