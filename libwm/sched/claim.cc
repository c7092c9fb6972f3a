#include "libwm/sched/claim.h"

#include <algorithm>
#include <bit>

#include "libwm/sched/memory.h"

namespace wm::sched {

TaskRequest held_by(const Job& job) {
  TaskRequest held = job.spec().task;
  if (job.mem_released) held.mem = Bytes{0};
  return held;
}

bool is_wanted(const Task& task) {
  return !task.kill && (task.state == TaskState::Starting || task.state == TaskState::Running);
}

TaskNumber first_task(const Job& job) {
  if (!job.membership.members.empty()) return job.membership.members.front();
  TaskNumber first;
  for (const Task& task : job.tasks) {
    if (is_wanted(task) && (!first || task.number < first)) first = task.number;
  }
  return first;
}

bool Claim::suits(std::uint32_t tasks) const {
  if (tasks == min || sizes == UsefulSizes::Any) return true;
  if (sizes == UsefulSizes::PowersOfTwo) return std::has_single_bit(tasks);
  return tasks % per_host == 0;
}

std::uint32_t Claim::suiting(std::uint32_t tasks) const {
  while (tasks > min && !suits(tasks)) --tasks;
  return std::max(tasks, min);
}

std::size_t room_at(const std::vector<Room>& rooms, HostId host) {
  // Numbers are dense unless hosts have gone.
  std::size_t guess = std::size_t{host.value} - 1;
  if (guess < rooms.size() && rooms[guess].id == host) return guess;
  auto it = std::lower_bound(rooms.begin(), rooms.end(), host,
                             [](const Room& room, HostId id) { return room.id < id; });
  bool found = it != rooms.end() && it->id == host;
  return found ? static_cast<std::size_t>(it - rooms.begin()) : rooms.size();
}

Claims collect(const Cluster& cluster, WallTime now, std::uint32_t max_pending) {
  Memory memory;
  refresh(memory, cluster, now, max_pending);
  line_up(memory, {max_pending, ~0u, true});
  return std::move(*memory.claims);
}

}  // namespace wm::sched
