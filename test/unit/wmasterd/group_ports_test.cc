// Ports of tasks of jobs with groups: no two in one network, whatever hosts they are on.
#include "daemons/wmasterd/state/group_ports.h"

#include <gtest/gtest.h>

#include <set>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

struct Machines : ClusterBuilder {
  /// A host of the machine `boot` in that network namespace.
  HostId host_in(const std::string& boot, std::uint64_t network) {
    auto id = host(4);
    const auto& known = host_of(id);
    step(HostRegistered{id, known.name, known.address, boot, known.type, known.model,
                        known.capacity, network});
    return id;
  }
  /// A job of one group that has this port for its task on `host`.
  void run_at(HostId host, std::uint16_t port) {
    auto id = submit(SpecBuilder().group({.name = "ps"}));
    Task task;
    task.number = TaskNumber{1};
    task.host = host;
    task.port = port;
    step(JobDispatched{{id.job, 1}, Attempt{1}, {task}, std::string(32, 'k')});
  }
};

TEST(group_ports, hosts_of_their_own_network_use_the_same_numbers) {
  Machines c;
  auto a = c.host_in("boot1", 7), b = c.host_in("boot1", 8), far = c.host_in("boot2", 7);
  GroupPorts ports(c.state);
  EXPECT_EQ(ports.next(a), 25000);
  EXPECT_EQ(ports.next(a), 25001);
  EXPECT_EQ(ports.next(b), 25000) << "another namespace of the machine";
  EXPECT_EQ(ports.next(far), 25000) << "another machine";
}

TEST(group_ports, hosts_of_one_network_never_have_one_number) {
  Machines c;
  auto a = c.host_in("boot1", 7), b = c.host_in("boot1", 7);
  c.run_at(b, 25001);
  GroupPorts ports(c.state);
  EXPECT_EQ(ports.next(a), 25000);
  EXPECT_EQ(ports.next(b), 25002);
  EXPECT_EQ(ports.next(a), 25003);
}

TEST(group_ports, two_clusters_of_one_machine_choose_different_blocks_for_the_same_job) {
  std::set<std::uint32_t> chosen;
  for (int port : {17000, 17001, 17002, 17003}) {
    ClusterBuilder c;
    c.config.cluster.master_port = port;
    c.reconfigure();
    auto host = c.host(4);
    GroupPorts ports(c.state);
    chosen.insert(ports.next_block(host, {1, 0}, Attempt{1}));
  }
  EXPECT_GE(chosen.size(), 3u);
}

TEST(group_ports, a_host_that_does_not_say_where_it_is_has_its_own) {
  Machines c;
  auto a = c.host_in("boot1", 0), b = c.host_in("boot1", 0);
  c.run_at(a, 25000);
  GroupPorts ports(c.state);
  EXPECT_EQ(ports.next(a), 25001);
  EXPECT_EQ(ports.next(b), 25000);
}

TEST(group_ports, jobs_that_begin_in_one_network_never_have_one_block_to_meet_at) {
  Machines c;
  c.config.cluster.limits.job_port_last = c.config.cluster.limits.job_port_first + 11;
  c.reconfigure();
  auto a = c.host_in("boot1", 7), b = c.host_in("boot1", 7), far = c.host_in("boot2", 7);
  auto id = c.submit(SpecBuilder().app("training").tasks(1, 2).elastic());
  GroupPorts before(c.state);
  auto first = before.next_block(a, id, Attempt{1});
  Task task;
  task.number = TaskNumber{1};
  task.host = a;
  c.step(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k'), 0, first});

  GroupPorts ports(c.state);
  EXPECT_EQ(ports.next_block(far, id, Attempt{1}), first) << "another machine";
  auto second = ports.next_block(b, id, Attempt{1}), third = ports.next_block(a, id, Attempt{1});
  EXPECT_EQ((std::set<std::uint32_t>{first, second, third}),
            (std::set<std::uint32_t>{20000, 20004, 20008}));
  EXPECT_EQ(ports.next_block(a, id, Attempt{1}), 0u) << "none is left";
  EXPECT_NE(GroupPorts(c.state).next_block(far, id, Attempt{2}), first)
      << "what is left of the attempt before may still call there";
}

TEST(group_ports, where_none_is_left_there_is_none) {
  Machines c;
  c.config.cluster.limits.group_port_first = c.config.cluster.limits.group_port_last = 26000;
  c.reconfigure();
  auto a = c.host_in("boot1", 7), b = c.host_in("boot1", 7);
  GroupPorts ports(c.state);
  EXPECT_EQ(ports.next(a), 26000);
  EXPECT_EQ(ports.next(b), 0);
}

}  // namespace
}  // namespace wm::master
