#include "libwm/sched/capacity/host_capacity.h"

#include <algorithm>

#include "libwm/model/gpu_use.h"
#include "libwm/sched/capacity/gpu_pick.h"

namespace wm::sched {
namespace {

// Free GPUs of the kind, for requests of whole GPUs without further wishes.
std::int64_t count_gpus(const HostCapacity& room, const TaskRequest& task, When when) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    bool counts =
        room.gpus[i] == GpuUse::Free || (when == When::Future && room.gpus[i] == GpuUse::Coming);
    if (counts && suits(room.host->capacity.gpus[i], task)) ++count;
  }
  return count;
}

// Counting is not enough: which GPU a task gets decides what the next one finds.
bool is_picky(const TaskRequest& task) {
  return task.gpu_shared || task.gpu_linked || task.gpu_tile > 0;
}

// Least of the whole quotients, and of `most`.
std::int64_t at_most(std::int64_t most, std::int64_t there, std::int64_t each) {
  return each == 0 ? most : std::min(most, std::max<std::int64_t>(0, there) / each);
}

// For how many tasks the GPUs are enough, at most `most`.
std::int64_t gpus_for(const HostCapacity& room, const TaskRequest& task, When when,
                      std::int64_t most) {
  if (is_picky(task))
    return task.gpus_per_host ? GpuPicker(room, task).count(when, 1) * most
                              : GpuPicker(room, task).count(when, most);
  std::int64_t gpus = count_gpus(room, task, when), each = gpus_of(task);
  if (task.gpus_per_host) return gpus >= each ? most : 0;
  return at_most(most, gpus, each);
}

void deduct(std::int64_t& now, std::int64_t& coming, std::int64_t amount) {
  std::int64_t first = std::min(std::max<std::int64_t>(0, now), amount);
  now -= first;
  coming -= amount - first;
}

// The GPUs of one task that fits: those that are free, else those that are coming.
std::vector<std::uint16_t> take_gpus(HostCapacity& room, const TaskRequest& task) {
  GpuPicker picker(room, task);
  auto taken = picker.pick(When::Now);
  if (taken.empty()) taken = picker.pick(When::Future);
  picker.commit(room);
  return taken;
}

// Of an empty host.
Space bare_space(const Capacity& c) {
  return {std::int64_t{c.slots}, static_cast<std::int64_t>(milli_cpus_to_give(c)), c.mem.value};
}

GpuUse use_of(const Host& host, std::size_t gpu) {
  const GpuMark* mark = gpu_mark(host, gpu);
  if (mark && mark->aside()) return GpuUse::Aside;
  bool owned = gpu < host.gpu_owners.size() && host.gpu_owners[gpu].job;
  return owned ? GpuUse::Taken : GpuUse::Free;
}

void add_parts(HostCapacity& room) {
  for (const GpuShare& share : room.host->gpu_shares) {
    if (share.gpu >= room.gpus.size()) continue;
    room.parts[share.gpu].held += share.milli;
    room.parts[share.gpu].mps_uid = share.mps_uid;
    if (room.gpus[share.gpu] == GpuUse::Free) room.gpus[share.gpu] = GpuUse::Shared;
  }
}

}  // namespace

std::int64_t gpus_of(const TaskRequest& task) { return (task.milli_gpus + 999) / 1000; }

Space space_of(const TaskRequest& task, std::int64_t tasks, bool is_there) {
  std::int64_t shares = task.mem_per_host ? (tasks > 0 && !is_there ? 1 : 0) : tasks;
  return {tasks, tasks * task.milli_cpus, shares * task.mem.value};
}

HostCapacity bare_room(const Host& host) {
  HostCapacity room;
  room.host = &host;
  room.id = host.id;
  room.open = is_open(host);
  room.now = bare_space(host.capacity);
  room.gpus.assign(host.capacity.gpus.size(), GpuUse::Free);
  room.parts.resize(host.capacity.gpus.size());
  return room;
}

HostCapacity room_of(const Host& host) {
  HostCapacity room = bare_room(host);
  room.now.slots -= host.used_slots;
  room.now.milli_cpus -= host.used_milli_cpus;
  room.now.mem -= host.used_mem.value;
  room.jobs = host.used_slots;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) room.gpus[i] = use_of(host, i);
  add_parts(room);
  return room;
}

bool fits_bare(const Host& host, const TaskRequest& task) {
  Space has = bare_space(host.capacity), needs = space_of(task, 1);
  if (needs.slots > has.slots || needs.milli_cpus > has.milli_cpus || needs.mem > has.mem)
    return false;
  std::int64_t lacks = gpus_of(task);
  if (lacks == 0) return true;
  if (is_picky(task)) return fit(bare_room(host), task, When::Now, 1) > 0;
  for (const Gpu& gpu : host.capacity.gpus)
    if (suits(gpu, task) && --lacks == 0) return true;
  return false;
}

std::int64_t fit(const HostCapacity& room, const TaskRequest& task, When when, std::int64_t most,
                 bool is_there) {
  if (room.is_closed(when)) return 0;
  bool future = when == When::Future;
  auto there = [&](std::int64_t now, std::int64_t coming) { return now + (future ? coming : 0); };
  most = at_most(most, there(room.now.slots, room.coming.slots), 1);
  most = at_most(most, there(room.now.milli_cpus, room.coming.milli_cpus), task.milli_cpus);
  std::int64_t mem = there(room.now.mem, room.coming.mem);
  if (!task.mem_per_host) most = at_most(most, mem, task.mem.value);
  else if (mem < space_of(task, 1, is_there).mem) return 0;
  bool asks = gpus_of(task) > 0 && !(task.gpus_per_host && is_there);
  return most > 0 && asks ? gpus_for(room, task, when, most) : most;
}

bool lacks_gpus(const HostCapacity& room, const TaskRequest& task) {
  return gpus_of(task) > 0 && gpus_for(room, task, When::Now, 1) == 0;
}

std::vector<std::vector<std::uint16_t>> take(HostCapacity& room, const TaskRequest& task,
                                             std::int64_t tasks, bool is_there) {
  Space need = space_of(task, tasks, is_there);
  deduct(room.now.slots, room.coming.slots, need.slots);
  deduct(room.now.milli_cpus, room.coming.milli_cpus, need.milli_cpus);
  deduct(room.now.mem, room.coming.mem, need.mem);
  room.jobs += static_cast<std::uint32_t>(tasks);
  std::vector<std::vector<std::uint16_t>> gpus(static_cast<std::size_t>(tasks));
  std::int64_t each = gpus_of(task);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    bool wants = task.gpus_per_host ? i == 0 && !is_there : true;
    if (each > 0 && wants) gpus[i] = take_gpus(room, task);
  }
  return gpus;
}

bool take_these(HostCapacity& room, const TaskRequest& task,
                const std::vector<std::uint16_t>& gpus) {
  GpuPicker picker(room, task);
  bool all = std::all_of(gpus.begin(), gpus.end(), [&](auto gpu) { return picker.claim(gpu); });
  if (all) picker.commit(room);
  return all;
}

void release(HostCapacity& room, JobId job, const TaskRequest& request, const Task& task) {
  Space held = space_of(request, 1);
  room.coming.slots += held.slots;
  room.coming.milli_cpus += held.milli_cpus;
  room.coming.mem += mem_held(request, task).value;
  for (std::uint16_t gpu : task.gpus) {
    if (gpu >= room.gpus.size()) continue;
    if (request.gpu_shared)
      room.parts[gpu].coming += milli_of(room.host->capacity.gpus[gpu], request);
    else if (room.gpus[gpu] != GpuUse::Aside) room.gpus[gpu] = GpuUse::Coming;
  }
  if (std::find(room.leaving.begin(), room.leaving.end(), job) == room.leaving.end()) {
    room.leaving.push_back(job);
  }
}

std::size_t room_at(const std::vector<HostCapacity>& rooms, HostId host) {
  // Numbers are dense unless hosts have gone.
  std::size_t guess = std::size_t{host.value} - 1;
  if (guess < rooms.size() && rooms[guess].id == host) return guess;
  auto it = std::lower_bound(rooms.begin(), rooms.end(), host,
                             [](const HostCapacity& room, HostId id) { return room.id < id; });
  bool found = it != rooms.end() && it->id == host;
  return found ? static_cast<std::size_t>(it - rooms.begin()) : rooms.size();
}

}  // namespace wm::sched
