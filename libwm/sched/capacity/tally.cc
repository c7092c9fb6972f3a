#include "libwm/sched/capacity/tally.h"

#include <algorithm>

namespace wm::sched {
namespace {

enum : LackBits { kSlots = 1, kCpus = 2, kMem = 4, kGpus = 8, kExclusive = 16 };

void list(Positions& rooms, std::uint32_t at, bool belongs) {
  auto it = std::lower_bound(rooms.begin(), rooms.end(), at);
  bool is_there = it != rooms.end() && *it == at;
  if (belongs && !is_there) rooms.insert(it, at);
  if (!belongs && is_there) rooms.erase(it);
}

// GPUs that jobs which do not share can have: neither shared nor set aside while free.
std::int64_t whole_gpus(const HostCapacity& room) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    bool owned = i < room.host->gpu_owners.size() && room.host->gpu_owners[i].job;
    bool whole = room.gpus[i] != GpuUse::Shared && room.gpus[i] != GpuUse::Aside;
    count += owned || whole;
  }
  return count;
}

}  // namespace

LackBits lacks_of(const HostCapacity& room, const JobSpec& spec) {
  const TaskRequest& task = spec.task;
  LackBits bits = 0;
  bool closed = room.is_closed(When::Now) || (spec.exclusive && room.jobs > 0);
  if (closed) bits |= kExclusive;
  if (room.now.slots < 1) bits |= kSlots;
  if (room.now.milli_cpus < task.milli_cpus) bits |= kCpus;
  if (room.now.mem < task.mem.value) bits |= kMem;
  if (!closed && lacks_gpus(room, task)) bits |= kGpus;
  return bits;
}

void count(Shortage& sum, LackBits bits, int sign) {
  auto add = [&](std::uint32_t& n, LackBits bit) {
    if (bits & bit) n += static_cast<std::uint32_t>(sign);
  };
  add(sum.slots, kSlots);
  add(sum.cpus, kCpus);
  add(sum.mem, kMem);
  add(sum.gpus, kGpus);
  add(sum.exclusive, kExclusive);
}

void Tally::update(const std::vector<HostCapacity>& rooms, const Positions& changed,
                   const Requests& requests) {
  parts_.resize(rooms.size());
  for (std::uint32_t at : changed) {
    const HostCapacity& room = rooms[at];
    Part& part = parts_[at];
    slots_ -= part.slots;
    gpus_ -= part.gpus;
    part = {};
    if (room.open)
      part = {std::int64_t{room.host->capacity.slots} - room.host->stuck_slots, whole_gpus(room)};
    slots_ += part.slots;
    gpus_ += part.gpus;
    list(roomy_, at, std::max(room.now.slots, room.now.slots + room.coming.slots) > 0);
    list(closed_, at, !room.open);
    list(stuck_, at, room.host->stuck_slots > 0);
    for (auto& [number, lacks] : lacks_) {
      const Request& request = requests[number];
      count(lacks.sum, lacks.bits[at], -1);
      bool asked = request.suits[at] == Suits::Yes;
      lacks.bits[at] = asked ? lacks_of(room, *request.spec) : LackBits{0};
      count(lacks.sum, lacks.bits[at], 1);
    }
  }
}

const Shortage& Tally::shortage(std::uint32_t request, const std::vector<HostCapacity>& rooms,
                                const Requests& requests) {
  auto [it, is_new] = lacks_.try_emplace(request);
  Lacks& lacks = it->second;
  if (!is_new) return lacks.sum;
  lacks.bits.resize(rooms.size());
  for (std::uint32_t at : requests[request].hosts) {
    lacks.bits[at] = lacks_of(rooms[at], *requests[request].spec);
    count(lacks.sum, lacks.bits[at], 1);
  }
  return lacks.sum;
}

}  // namespace wm::sched
