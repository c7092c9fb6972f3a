// Role: where the tasks of an order stand in their job: ranks, hosts, and the rendezvous that
// scripts are told of. Pure; read by everything that plans a launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/exec_id.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// Where a task stands in its job.
struct Place {
  std::uint32_t rank = 0, world = 1;              ///< tasks, host by host
  std::uint32_t local_rank = 0, local_world = 1;  ///< on this host
  std::uint32_t host_rank = 0, hosts = 1;
  bool operator==(const Place&) const = default;
};
/// Ranks go host by host, hosts in the order of their first task, tasks by number.
/// @source torchrun: RANK = sum of earlier hosts' local worlds + LOCAL_RANK
/// Rank 0 is also said of a task that is not on this host. @cost O(log tasks here + runs)
Place place_of(const HostOrder& order, TaskNumber task);

/// All hosts of the job in the order of their first task. @cost O(hosts)
std::vector<HostTasks> by_host(const HostOrder& order);

/// Ports that are leased together, one after the other: the processes of a resized job meet
/// at the next one, where nothing of those before them is met.
inline constexpr std::uint32_t kPortsPerLease = 4;
/// Blocks of so many ports in a range. @cost O(1)
std::uint32_t port_blocks(std::uint32_t first, std::uint32_t last);
/// Which block an attempt tries as its `tried`th, from 0: apart for different jobs, so that few are
/// tried twice, and not those of the attempt before, where what is left of it may still call.
/// @shape 0 <= result < blocks   @cost O(1)
std::uint32_t block_to_try(JobId job, Attempt attempt, std::uint32_t blocks, std::uint32_t tried);

/// Are the processes told of each other as torchrun's workers are? Those that a command started
/// once starts itself must not be: they would all take themselves for its rank. @cost O(1)
bool meets_at_port(const HostOrder& order);

/// Where scripts meet that need MASTER_ADDR and MASTER_PORT beforehand: the numeric address of
/// the first task's host, and a port that it has leased. Port 0: none is known.
std::string master_address(const HostOrder& order);
std::uint32_t master_port(const HostOrder& order);
/// The port of the loopback address where a notebook job's program may listen, of those that its
/// host has leased; 0: none. @cost O(1)
std::uint32_t web_port(const HostOrder& order);

}  // namespace wm::launch
