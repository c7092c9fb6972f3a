// What a host finds and holds: capacity, interfaces, leased ports.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "libwm/proc/job_ports.h"
#include "libwm/proc/topology.h"

namespace wm::proc {
namespace {

TEST(topology, a_machine_has_cores_and_memory) {
  auto found = take_inventory();
  EXPECT_GE(found.cores, 1u);
  EXPECT_GT(found.mem.value, 1 << 20);
  EXPECT_FALSE(boot_id().empty());
}

TEST(topology, declared_values_win_and_missing_gpus_become_counters) {
  Inventory found{8, Bytes{100}, {{"real", "H200", Bytes{5}}}, "", ""};
  EXPECT_EQ(capacity_of(found, nullptr, "n").slots, 8u);
  EXPECT_EQ(capacity_of(found, nullptr, "n").gpus.size(), 1u);
  HostConf declared;
  declared.cpus = 4;
  declared.slots = 6;
  declared.gpus = 2;
  auto capacity = capacity_of(found, &declared, "n");
  EXPECT_EQ(capacity.slots, 6u);
  EXPECT_EQ(capacity.milli_cpus, 4000u);
  ASSERT_EQ(capacity.gpus.size(), 2u);
  EXPECT_EQ(capacity.gpus[0].uuid, "real");
  EXPECT_EQ(capacity.gpus[1].uuid, "n-gpu1");
  declared.gpus = 0;
  EXPECT_TRUE(capacity_of(found, &declared, "n").gpus.empty());
}

TEST(topology, a_loopback_address_is_on_lo) {
  EXPECT_EQ(interface_of("127.9.8.7"), "lo");
  EXPECT_EQ(interface_of("not an address"), "");
}

/// Tries to listen there as a program would.
bool can_listen(std::uint32_t port, bool reuse) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = reuse ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
  return ::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0 &&
         ::listen(fd.get(), 1) == 0;
}

TEST(job_ports, a_held_port_is_open_to_the_job_and_closed_to_strangers) {
  AttemptKey key{{1, 0}, {1}}, other{{2, 0}, {1}};
  JobPorts ports;
  std::uint32_t port = 20000;
  while (port < 21000 && !ports.hold(key, "127.0.0.1", port)) ++port;
  ASSERT_LT(port, 21000u);
  EXPECT_TRUE(ports.hold(key, "127.0.0.1", port)) << "again is fine";
  auto taken = ports.hold(other, "127.0.0.1", port);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::Conflict);
  EXPECT_FALSE(can_listen(port, false));
  EXPECT_TRUE(can_listen(port, true));
  ports.release(key);
  EXPECT_TRUE(ports.hold(other, "127.0.0.1", port));
}

}  // namespace
}  // namespace wm::proc
