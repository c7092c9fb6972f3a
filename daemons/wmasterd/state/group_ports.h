// Role: which ports tasks are told of that the master chooses: where each task of a job with groups
// is found (TF_CONFIG), since it has to know those of all others before it starts, and where the
// tasks of an elastic job meet (MASTER_PORT), since none of them waits for another.
// Invariant: no two tasks that hold a slot have one port in one network. A server may listen on all
// addresses of its machine, as TensorFlow's do; so hosts of one boot and network namespace, such as
// those of a private cluster, have one set of ports, whatever their addresses are. A host that does
// not say where it is has its own.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"

namespace wm::master {

/// The ports given out by one batch of starts. @thread one
/// @owns nothing of the cluster, which it refers to
class GroupPorts {
 public:
  /// `cluster`: as it is while ports are given out; it outlives this, unchanged.
  explicit GroupPorts(const Cluster& cluster) : cluster_(cluster) {}
  /// The lowest port of group_ports that no task near `host` has, from now on taken; 0: none is
  /// left, and the task is not told of one.
  /// @cost the first time O(hosts), then for each network O(its tasks), then O(its ports that are
  /// taken)
  std::uint16_t next(HostId host);
  /// The first of a block of job_ports of which no job that begins near `host` has one, from now on
  /// taken; 0: none is left. Another attempt looks elsewhere first, as hosts do that lease one.
  /// @cost as next()
  std::uint32_t next_block(HostId host, JobId job, Attempt attempt);

 private:
  /// A machine between two boots, and a network namespace on it.
  using Network = std::pair<std::string_view, std::uint64_t>;

  std::set<std::uint16_t>& taken_near(HostId host);
  const std::vector<HostId>& hosts_in(const Network& network);
  void add_ports_of(HostId host, std::set<std::uint16_t>& ports) const;

  const Cluster& cluster_;
  std::map<Network, std::vector<HostId>> hosts_;
  std::map<Network, std::set<std::uint16_t>> taken_;
  std::map<HostId, std::set<std::uint16_t>> taken_alone_;
};

}  // namespace wm::master
