// Who is at a port, as the kernel lists it: /proc/net/tcp's lines in, listeners and callers out.
#include "libwm/proc/port_uses.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "libwm/proc/channel.h"

namespace wm::proc {
namespace {

PortUses in(std::string_view table) {
  PortUses uses{{20000, {}}, {20001, {}}, {20004, {}}};
  add_port_uses(table, uses);
  return uses;
}

TEST(port_uses, listeners_and_callers_are_told_of_the_ports_asked_for) {
  auto uses =
      in("  sl  local_address rem_address   st tx_queue\n"
         "   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000\n"
         "   1: 0100007F:4E20 0300000A:C350 01 00000000:00000000\n"
         "   2: 0100007F:4E20 0200000A:C351 01 00000000:00000000\n"
         "   3: 0100007F:4E20 0300000A:C352 01 00000000:00000000\n"
         "   4: 0100007F:4E21 0100007F:C350 06 00000000:00000000\n"
         "   5: 0100007F:4E29 0100007F:C350 01 00000000:00000000\n");
  EXPECT_EQ(
      uses,
      (PortUses{{20000, {true, {{"10.0.0.2", 1}, {"10.0.0.3", 2}}}}, {20001, {}}, {20004, {}}}));
}

TEST(port_uses, callers_over_ipv6_have_their_address_or_that_of_ipv4_within_it) {
  auto uses =
      in("  0: 00000000000000000000000000000000:4E24 00000000000000000000000000000000:0 0A 0\n"
         "  1: 0000000000000000FFFF00000100007F:4E24 0000000000000000FFFF00000200000A:1 01 0\n"
         "  2: 00000000000000000000000001000000:4E24 00000000000000000000000001000000:1 01 0\n");
  EXPECT_EQ(uses[20004], (PortUse{true, {{"10.0.0.2", 1}, {"::1", 1}}}));
}

TEST(port_uses, lines_of_another_kind_are_passed_over) {
  for (const char* bad :
       {"", "\n\n", "x", "0: nothing here 01", "0: 0100007F:4E2G 0200000A:1 01",
        "0: 0100007F:14E20 0200000A:1 01", "0: 0100007F: 0200000A:1 01", "0: 0100007F:4E20 a:1 01",
        "0: 0100007F:4E20 0200000G:1 01", "0: 0100007F:4E20"})
    EXPECT_EQ(in(bad), in("")) << bad;
}

TEST(port_uses, a_real_listener_and_a_real_caller_are_seen) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof(at);
  ASSERT_EQ(::bind(listener.get(), address, size), 0);
  ASSERT_EQ(::getsockname(listener.get(), address, &size), 0);
  auto seen = [port = ntohs(at.sin_port)] {
    PortUses uses{{port, {}}};
    look_at_ports(uses);
    return uses.begin()->second;
  };
  EXPECT_EQ(seen(), PortUse{});
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(seen(), (PortUse{true, {}}));
  Fd visitor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(visitor.get(), address, size), 0);
  EXPECT_EQ(seen(), (PortUse{true, {{"127.0.0.1", 1}}}));
}

}  // namespace
}  // namespace wm::proc
