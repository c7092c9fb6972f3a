// What a host finds and holds: capacity, interfaces, leased ports.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <set>

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

TEST(topology, memory_is_what_the_kernel_has_now) {
  EXPECT_EQ(total_memory("MemTotal:       131072 kB\nMemFree: 1 kB\n"), Bytes{128 << 20});
  EXPECT_EQ(total_memory("A: 1 kB\nMemTotal: 4 kB\n"), Bytes{4096});
  for (auto none : {"", "NoMemTotal: 4 kB\n", "MemTotal:", "MemTotal: x kB"})
    EXPECT_EQ(total_memory(none), Bytes{0}) << none;
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

TEST(topology, the_network_is_that_of_this_process) {
  EXPECT_NE(network_id(), 0u);
  EXPECT_EQ("net:[" + std::to_string(network_id()) + "]",
            std::filesystem::read_symlink("/proc/self/ns/net").string());
}

/// Listens there as a program would; nothing when it cannot.
Fd listening(std::uint32_t port, bool reuse = true, const char* address = "127.0.0.1") {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = reuse ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address, &at.sin_addr);
  bool listens = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0 &&
                 ::listen(fd.get(), 1) == 0;
  if (!listens) fd.reset();
  return fd;
}

bool can_listen(std::uint32_t port, bool reuse) { return bool(listening(port, reuse)); }

const PortRange kRange{21000, 21999};

TEST(job_ports, a_leased_port_is_open_to_the_job_and_closed_to_strangers) {
  JobPorts ports;
  auto port = ports.lease({{1, 0}, {1}}, kRange);
  ASSERT_TRUE(port);
  EXPECT_FALSE(can_listen(*port, false));
  EXPECT_TRUE(can_listen(*port, true));
  EXPECT_FALSE(can_listen(*port + 3, false));
}

TEST(job_ports, a_leased_port_is_open_to_a_job_that_listens_on_all_addresses) {
  JobPorts ports;
  auto port = ports.lease({{1, 0}, {1}}, kRange);
  ASSERT_TRUE(port);
  EXPECT_FALSE(listening(*port, false, "127.0.0.9")) << "nobody else has it at any address";
  EXPECT_TRUE(listening(*port, true, "0.0.0.0"));
}

TEST(job_ports, a_block_that_was_chosen_beforehand_is_leased_unless_somebody_has_it) {
  JobPorts ports;
  auto chosen = ports.lease({{1, 0}, {1}}, kRange);
  ASSERT_TRUE(chosen);
  ports.release({{1, 0}, {1}});
  EXPECT_EQ(*ports.lease({{2, 0}, {1}}, kRange, *chosen), *chosen);
  EXPECT_NE(*ports.lease({{3, 0}, {1}}, kRange, *chosen), *chosen) << "another attempt's";
  ports.release({{2, 0}, {1}});
  Fd stranger = listening(*chosen, true, "127.0.0.9");
  ASSERT_TRUE(stranger);
  EXPECT_NE(*ports.lease({{4, 0}, {1}}, kRange, *chosen), *chosen);
}

TEST(job_ports, a_port_that_somebody_has_at_any_address_is_not_leased) {
  launch::AttemptKey key{{1, 0}, {1}};
  JobPorts ports;
  auto first = ports.lease(key, kRange);
  ASSERT_TRUE(first);
  ports.release(key);
  Fd stranger = listening(*first, true, "127.0.0.9");
  ASSERT_TRUE(stranger);
  auto next = ports.lease(key, kRange);
  ASSERT_TRUE(next);
  EXPECT_NE(*next, *first);
}

TEST(job_ports, a_port_that_a_stranger_has_at_another_address_is_held_at_its_own) {
  launch::AttemptKey key{{1, 0}, {1}};
  JobPorts before, after;
  auto first = before.lease(key, kRange);
  ASSERT_TRUE(first);
  before.release(key);
  Fd stranger = listening(*first, true, "127.0.0.9");
  ASSERT_TRUE(after.hold(key, "127.0.0.1", *first));
  EXPECT_FALSE(can_listen(*first, false));
}

TEST(job_ports, a_port_that_anybody_has_is_not_leased) {
  launch::AttemptKey key{{1, 0}, {1}};
  JobPorts mine, others;  // of two hosts of one machine
  auto first = others.lease(key, kRange);
  ASSERT_TRUE(first);
  auto port = mine.lease(key, kRange);
  ASSERT_TRUE(port);
  EXPECT_GE(*port > *first ? *port - *first : *first - *port, launch::kPortsPerLease);
}

TEST(job_ports, a_port_at_which_its_job_listens_is_leased_to_nobody_else) {
  launch::AttemptKey key{{1, 0}, {1}}, other{{1, 0}, {1 + 250}};  // both begin at the same block
  JobPorts before;
  auto first = before.lease(key, kRange);
  ASSERT_TRUE(first);
  before.release(key);  // as a wnoded that ends
  Fd job = listening(*first);
  ASSERT_TRUE(job);
  JobPorts after;
  ASSERT_TRUE(after.hold(key, "127.0.0.1", *first));
  job.reset();
  auto theirs = after.lease(other, kRange);
  ASSERT_TRUE(theirs);
  EXPECT_NE(*theirs, *first);
  auto taken = after.hold(other, "127.0.0.1", *first);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::Conflict);
}

TEST(job_ports, many_attempts_have_ports_of_their_own_until_none_are_left) {
  JobPorts ports;
  std::set<std::uint32_t> firsts;
  PortRange small{22000, 22000 + 10 * launch::kPortsPerLease - 1};
  std::uint32_t job = 0;
  while (auto first = ports.lease({{++job, 0}, {1}}, small)) {
    EXPECT_TRUE(firsts.insert(*first).second);
    ASSERT_LE(firsts.size(), 10u);
  }
  EXPECT_EQ(ports.lease({{99, 0}, {1}}, small).error().code, Code::Limit);
  ports.release({{1, 0}, {1}});
  EXPECT_TRUE(ports.lease({{99, 0}, {1}}, small));
}

TEST(job_ports, an_attempt_keeps_what_it_has) {
  launch::AttemptKey key{{1, 0}, {1}};
  JobPorts ports;
  auto first = ports.lease(key, kRange);
  ASSERT_TRUE(first);
  EXPECT_EQ(*ports.lease(key, kRange), *first);
  EXPECT_TRUE(ports.hold(key, "127.0.0.1", *first));
  ports.release(key);
  EXPECT_TRUE(ports.hold({{2, 0}, {1}}, "127.0.0.1", *first));
}

}  // namespace
}  // namespace wm::proc
