// Role: what tests of a host's plans begin with: the host, and an order of two tasks.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "libwm/launch/launch_env.h"

namespace wm::launch {

/// Host b of cluster c.
inline HostFacts own_host() {
  HostFacts host;
  host.name = "b";
  host.address = "10.0.0.2";
  host.id = {2};
  host.interface = "eth0";
  host.cluster = "c";
  host.dirs.results = "/r";
  host.dirs.data = "/d";
  host.conf_dir = "/etc/wm";
  host.bin_dir = "/opt/bin";
  host.sbin_dir = "/opt/sbin";
  host.lib_dir = "/opt/lib";
  host.fabric_dir = "/opt/fabric";
  host.run = "/run/b";
  host.passed_on = {"WM_NODE=b"};
  return host;
}

/// Job 12, attempt 3: tasks 1 3 on host a, 2 4 on host b (ours).
inline HostOrder two_tasks() {
  using namespace std::string_literals;
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {3};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.name = "train";
  o.resolved.queue = "normal";
  o.resolved.program.command = "python3 x.py";
  o.resolved.program.cwd = "/w";
  o.resolved.program.home = "/h/ann";
  o.resolved.task.milli_cpus = 2000;
  o.app.type = AppType::Training;
  o.team.max_tasks = 4;
  o.team.restarts = 2;
  o.blobs.env = "PATH=/usr/bin\0FOO=a=b\0LSB_JOBID=9\0HOME=/old\0PYTHONPATH=/mine\0BAD\0"s;
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"},
                          {{2}, "b", "10.0.0.2"},
                          {{3}, "a", "10.0.0.1"},
                          {{4}, "b", "10.0.0.2"}},
                         "b");
  OrderedTask t;
  t.task = {2};
  o.tasks.push_back(t);
  t.task = {4};
  t.gpus = {1, 3};
  t.gpu_uuids = {"G1", "G3"};
  o.tasks.push_back(t);
  return o;
}

/// An environment, in which each name is to be there once.
inline std::map<std::string, std::string> as_map(const std::vector<std::string>& entries) {
  std::map<std::string, std::string> map;
  for (const auto& entry : entries) {
    auto at = entry.find('=');
    EXPECT_TRUE(map.emplace(entry.substr(0, at), entry.substr(at + 1)).second)
        << "twice: " << entry;
  }
  return map;
}

/// That of a task of the order.
inline std::map<std::string, std::string> env_of_task(const HostOrder& o, int index,
                                                      const HostFacts& host = own_host()) {
  return as_map(task_environment(o, host, o.tasks[index]));
}

}  // namespace wm::launch
