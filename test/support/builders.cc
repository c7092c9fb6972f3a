#include "test/support/builders.h"

#include <algorithm>
#include <stdexcept>

#include "libwm/conf/load.h"

namespace wm::test {

WallTime at(double s) { return WallTime(Duration(static_cast<std::int64_t>(1.7e15 + s * 1e6))); }

SpecBuilder::SpecBuilder() {
  spec.owner = {1001, 1001, "u1"};
  spec.queue = "normal";
  spec.app = "batch";
  spec.plan = "/";
  spec.program.command = "sleep 1";
  spec.name = "sleep 1";
}
SpecBuilder& SpecBuilder::user(const std::string& name, std::uint32_t uid) {
  spec.owner = {uid, uid, name};
  return *this;
}
SpecBuilder& SpecBuilder::queue(const std::string& name) { return spec.queue = name, *this; }
SpecBuilder& SpecBuilder::app(const std::string& name) { return spec.app = name, *this; }
SpecBuilder& SpecBuilder::plan(const std::string& path) { return spec.plan = path, *this; }
SpecBuilder& SpecBuilder::tasks(std::uint32_t min, std::uint32_t max) {
  spec.min_tasks = min;
  spec.max_tasks = max;
  return *this;
}
SpecBuilder& SpecBuilder::gpus(std::uint32_t per_task) {
  return spec.task.milli_gpus = per_task * 1000, *this;
}
SpecBuilder& SpecBuilder::elastic() {
  spec.elastic = true;
  spec.app = "training";
  return *this;
}
SpecBuilder& SpecBuilder::rerunnable() { return spec.rerunnable = true, *this; }
SpecBuilder& SpecBuilder::hold() { return spec.when.hold = true, *this; }
SpecBuilder& SpecBuilder::array(std::uint32_t from, std::uint32_t to, std::uint32_t limit) {
  spec.array = {{from, to, 1}};
  spec.array_limit = limit;
  return *this;
}
SpecBuilder& SpecBuilder::group(TaskGroup group) {
  if (group.command.empty()) group.command = "sleep 1";
  spec.groups.push_back(std::move(group));
  spec.array = {{1, static_cast<std::uint32_t>(spec.groups.size()), 1}};
  alternatives.clear();
  for (std::uint32_t n = 1; n <= spec.groups.size(); ++n)
    alternatives.push_back(group_spec(spec, n));
  return *this;
}
SpecBuilder& SpecBuilder::open() { return spec.open = true, *this; }
std::shared_ptr<const SealedSpec> SpecBuilder::sealed() const {
  return std::make_shared<const SealedSpec>(
      SealedSpec{spec, "bytes", "credential", "0123456789abcdef", alternatives});
}

ClusterBuilder::ClusterBuilder() {
  auto built_in = conf::parse({});
  if (!built_in) throw std::runtime_error(built_in.error().text);
  config = *built_in;
  state.config = std::make_shared<const Config>(config);
  index_config(state);
}

void ClusterBuilder::reconfigure() { step(ConfigLoaded{std::make_shared<const Config>(config)}); }

HostId ClusterBuilder::host(std::uint32_t slots, std::uint32_t gpus) {
  HostId id{++hosts_};
  auto number = std::to_string(id.value);
  Capacity capacity{slots, slots * 1000, Bytes{std::int64_t{16} << 30}, {}};
  for (std::uint32_t g = 0; g < gpus; ++g)
    capacity.gpus.push_back({"gpu" + std::to_string(g), "", {}});
  step(HostRegistered{id, "h" + number, "127.0.0." + number, "boot1", "LINUX", "x86", capacity});
  return id;
}

JobId ClusterBuilder::submit(const SpecBuilder& spec) {
  JobId id{++jobs_, 0};
  step(JobSubmitted{id, spec.sealed()});
  return id;
}

void ClusterBuilder::dispatch(JobId id, const std::vector<HostId>& hosts) {
  const Job* made = find_job(state, id);
  const Job* like = made ? made : state.jobs.find(id.job);
  WM_CHECK(like != nullptr);
  std::vector<Task> tasks;
  std::map<HostId, std::uint16_t> next;
  for (auto host : hosts) {
    Task task;
    task.number = TaskNumber{static_cast<std::uint32_t>(tasks.size() + 1)};
    task.host = host;
    task.has_process = launch_of(*state.config, like->spec()) == Launch::PerSlot || tasks.empty();
    const auto& owners = host_of(host).gpu_owners;
    auto& gpu = next[host];
    for (std::uint32_t g = 0; g < like->spec().task.milli_gpus / 1000; ++g) {
      while (gpu < owners.size() && owners[gpu].job) ++gpu;
      task.gpus.push_back(gpu++);
    }
    tasks.push_back(task);
  }
  step(JobDispatched{id, Attempt{(made ? made->attempt.value : 0) + 1}, tasks,
                     std::string(32, 'k')});
}

void ClusterBuilder::run(JobId id, const std::vector<HostId>& hosts) {
  dispatch(id, hosts);
  for (const auto& task : Tasks(job(id).tasks))
    if (task.has_process)
      step(TaskStarted{id, job(id).attempt, task.number,
                       1000 + static_cast<std::int32_t>(task.number.value)});
}

void ClusterBuilder::enter_epoch(JobId id, std::uint32_t n) {
  auto attempt = job(id).attempt;
  if (!job(id).membership.in_place) step(InPlaceSeen{id, attempt});
  EpochFormed formed;
  formed.epoch = EpochNumber{n};
  for (const auto& task : Tasks(job(id).tasks)) {  // a step makes the job anew
    if (task.state == TaskState::Running) formed.members.push_back(task.number);
    if (task.holds_slot() && !job(id).membership.agents.count(task.host))
      step(AgentSeen{id, attempt, task.host, "127.0.0.1:" + std::to_string(task.host.value)});
  }
  step(EpochEntered{id, attempt, formed});
}

Actions ClusterBuilder::step(const EventBody& first, double seconds) {
  std::vector<EventBody> todo{first};
  fsm::Touched touched;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    auto legal = fsm::check(state, todo[i]);
    if (!legal)
      throw std::runtime_error(std::string(event_name(todo[i])) + ": " + legal.error().text);
    history.push_back({Seq{state.seq.value + 1}, at(seconds), todo[i]});
    auto changed = fsm::apply(state, history.back());
    touched.merge(changed);
    for (auto& next : fsm::follow(state, changed)) todo.push_back(std::move(next));
    if (auto sound = fsm::check_invariants(state); !sound)
      throw std::runtime_error(sound.error().text);
  }
  return fsm::react(state, touched);
}

const Job& ClusterBuilder::job(JobId id) const {
  const Job* found = find_job(state, id);
  if (!found) throw std::runtime_error("no job " + to_string(id));
  return *found;
}

TaskEnded ended(const ClusterBuilder& c, JobId id, std::uint32_t task, std::int32_t status,
                Term term) {
  return {id, c.job(id).attempt, TaskNumber{task}, status, term, {}, ""};
}

}  // namespace wm::test
