// Ports with a connection, as the kernel lists them: /proc/net/tcp's lines in, numbers out.
#include "libwm/proc/connected_ports.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "libwm/proc/channel.h"

namespace wm::proc {
namespace {

std::set<std::uint16_t> in(std::string_view table) {
  std::set<std::uint16_t> ports;
  add_connected_ports(table, ports);
  return ports;
}

TEST(connected_ports, established_connections_count_and_listeners_do_not) {
  EXPECT_EQ(in("  sl  local_address rem_address   st tx_queue\n"
               "   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000\n"
               "   1: 0100007F:4E21 0100007F:C350 01 00000000:00000000\n"
               "   2: 0100007F:C350 0100007F:4E21 06 00000000:00000000\n"
               "   3: 0000000000000000FFFF00000100007F:4E24 0000000000000000FFFF00000100007F:1 01 0"),
            (std::set<std::uint16_t>{20001, 20004}));
}

TEST(connected_ports, lines_of_another_kind_are_passed_over) {
  for (const char* bad : {"", "\n\n", "x", "0: nothing here 01", "0: 0100007F:4E2G a:1 01",
                          "0: 0100007F:14E20 a:1 01", "0: 0100007F: a:1 01"})
    EXPECT_TRUE(in(bad).empty()) << bad;
}

TEST(connected_ports, a_real_connection_is_seen_once_it_stands) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof(at);
  ASSERT_EQ(::bind(listener.get(), address, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), address, &size), 0);
  EXPECT_FALSE(connected_ports().contains(ntohs(at.sin_port)));
  Fd visitor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(visitor.get(), address, size), 0);
  EXPECT_TRUE(connected_ports().contains(ntohs(at.sin_port)));
}

}  // namespace
}  // namespace wm::proc
