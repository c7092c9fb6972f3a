#include "libwm/sched/room.h"

#include <algorithm>

namespace wm::sched {
namespace {

bool is_model(const Room& room, std::size_t gpu, const TaskRequest& task) {
  return task.gpu_model.empty() || room.host->capacity.gpus[gpu].model == task.gpu_model;
}

std::int64_t count_gpus(const Room& room, const TaskRequest& task, When when) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    bool counts =
        room.gpus[i] == GpuUse::Free || (when == When::Future && room.gpus[i] == GpuUse::Coming);
    if (counts && is_model(room, i, task)) ++count;
  }
  return count;
}

// Least of the whole quotients, and of `most`.
std::int64_t at_most(std::int64_t most, std::int64_t there, std::int64_t each) {
  return each == 0 ? most : std::min(most, std::max<std::int64_t>(0, there) / each);
}

void deduct(std::int64_t& now, std::int64_t& coming, std::int64_t amount) {
  std::int64_t first = std::min(std::max<std::int64_t>(0, now), amount);
  now -= first;
  coming -= amount - first;
}

// Takes `count` GPUs, free ones first, lowest index first.
std::vector<std::uint16_t> take_gpus(Room& room, const TaskRequest& task, std::int64_t count) {
  std::vector<std::uint16_t> taken;
  for (GpuUse use : {GpuUse::Free, GpuUse::Coming}) {
    for (std::size_t i = 0; i < room.gpus.size() && std::ssize(taken) < count; ++i) {
      if (room.gpus[i] != use || !is_model(room, i, task)) continue;
      room.gpus[i] = GpuUse::Taken;
      taken.push_back(static_cast<std::uint16_t>(i));
    }
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace

std::int64_t gpus_of(const TaskRequest& task) { return (task.milli_gpus + 999) / 1000; }

Space space_of(const TaskRequest& task, std::int64_t tasks) {
  return {tasks, tasks * task.milli_cpus, tasks * task.mem.value};
}

Room room_of(const Host& host) {
  Room room;
  room.host = &host;
  room.open = is_open(host);
  const Capacity& c = host.capacity;
  // A host given more slots than CPUs shares its CPUs: slots bound it alone.
  std::int64_t cpus = std::max<std::int64_t>(c.milli_cpus, std::int64_t{c.slots} * 1000);
  room.now.slots = std::int64_t{c.slots} - host.used_slots;
  room.now.milli_cpus = cpus - host.used_milli_cpus;
  room.now.mem = (c.mem - host.used_mem).value;
  room.jobs = host.used_slots;
  room.gpus.assign(c.gpus.size(), GpuUse::Free);
  for (std::size_t i = 0; i < room.gpus.size() && i < host.gpu_owners.size(); ++i) {
    if (host.gpu_owners[i].job) room.gpus[i] = GpuUse::Taken;
  }
  return room;
}

std::int64_t fit(const Room& room, const TaskRequest& task, When when, std::int64_t most,
                 bool holds_gpus) {
  if (room.exclusive) return 0;
  bool future = when == When::Future;
  auto there = [&](std::int64_t now, std::int64_t coming) { return now + (future ? coming : 0); };
  most = at_most(most, there(room.now.slots, room.coming.slots), 1);
  most = at_most(most, there(room.now.milli_cpus, room.coming.milli_cpus), task.milli_cpus);
  most = at_most(most, there(room.now.mem, room.coming.mem), task.mem.value);
  std::int64_t each = gpus_of(task);
  if (most == 0 || each == 0 || (task.gpus_per_host && holds_gpus)) return most;
  std::int64_t gpus = count_gpus(room, task, when);
  if (task.gpus_per_host) return gpus >= each ? most : 0;
  return at_most(most, gpus, each);
}

std::vector<std::vector<std::uint16_t>> take(Room& room, const TaskRequest& task,
                                             std::int64_t tasks, bool holds_gpus) {
  Space need = space_of(task, tasks);
  deduct(room.now.slots, room.coming.slots, need.slots);
  deduct(room.now.milli_cpus, room.coming.milli_cpus, need.milli_cpus);
  deduct(room.now.mem, room.coming.mem, need.mem);
  room.jobs += static_cast<std::uint32_t>(tasks);
  std::vector<std::vector<std::uint16_t>> gpus(static_cast<std::size_t>(tasks));
  std::int64_t each = gpus_of(task);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    bool wants = task.gpus_per_host ? i == 0 && !holds_gpus : true;
    if (each > 0 && wants) gpus[i] = take_gpus(room, task, each);
  }
  return gpus;
}

void release(Room& room, JobId job, const TaskRequest& request, const Task& task) {
  Space held = space_of(request, 1);
  room.coming.slots += held.slots;
  room.coming.milli_cpus += held.milli_cpus;
  room.coming.mem += held.mem;
  for (std::uint16_t gpu : task.gpus) {
    if (gpu < room.gpus.size()) room.gpus[gpu] = GpuUse::Coming;
  }
  if (std::find(room.leaving.begin(), room.leaving.end(), job) == room.leaving.end()) {
    room.leaving.push_back(job);
  }
}

}  // namespace wm::sched
