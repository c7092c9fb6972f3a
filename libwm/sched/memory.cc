#include "libwm/sched/memory.h"

#include <algorithm>
#include <utility>

#include "libwm/model/groups.h"
#include "libwm/sched/demand/claim_maker.h"
#include "libwm/sched/demand/eligible.h"
#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

// The rooms are those of these hosts still.
bool same_hosts(const std::vector<HostCapacity>& rooms, const Cluster& cluster) {
  std::size_t at = 0;
  bool same = true;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (same && at < rooms.size() && rooms[at].host == &host) return void(++at);
    same =
        same && at < rooms.size() && rooms[at].id == host.id && rooms[at].host->name == host.name;
    ++at;
  });
  return same && at == rooms.size();
}

// To requests that ask for nothing that changes with use.
bool looks_the_same(const Host& a, const Host& b) {
  return a.state == b.state && a.closed == b.closed && a.type == b.type && a.model == b.model &&
         a.capacity == b.capacity;
}

// True: what is made of it depends on more than the job, or it bears on more than itself.
bool is_loose(const Job& job, const ClaimMaker& make, const Config& config) {
  if (job.waits.preempted || job.parked) return true;
  if (!job.spec().reservation.empty()) return !is_over(job.state);  // its time comes and goes
  bool runs = job.state == JobState::Launching || job.state == JobState::Running ||
              job.state == JobState::Suspended || job.state == JobState::Unknown;
  bool stays = runs && !job.kill && !job.ending;
  for (const Task& task : job.tasks)
    if (task.holds_slot() && !(stays && is_wanted(task))) return true;
  if (runs) {
    bool settles = job.spec().elastic && make.quiet_of(job) > Duration{};
    return settles || job.spec().exclusive || make.has_setback(job) ||
           make.may_meet_until(job) != WallTime{};
  }
  if (job.state != JobState::Pending) return !is_over(job.state);
  const JobSpec& spec = job.spec();
  const QueueConf* queue = config.queue(spec.queue);
  if (queue && queue->order == JobOrder::Slowdown) return true;  // ranked by its own wait
  if (make.has_setback(job) || make.has_gap(job)) return true;
  return job.waits.turn != 0 || retry_of(job) || job.id.index > 0 ||
         job.waits.promised != WallTime{} || spec.when.begin != WallTime{} ||
         !spec.when.depend.empty() || !job.sealed->alternatives.empty();
}

class Collector {
 public:
  Collector(Memory& memory, const Cluster& cluster, WallTime now, std::uint32_t max_pending,
            const std::shared_ptr<const LoadedHosts>& loaded)
      : memory_(memory),
        cluster_(cluster),
        now_(now),
        left_(max_pending),
        loaded_(loaded),
        claims_(open()),
        make_(cluster, now, claims_, memory.owners) {}
  void run();

 private:
  Claims& open();
  void start_afresh();
  void refresh_rooms();
  void look(const Table<Job>& table, std::vector<SeenJob>& seen);
  std::uint32_t read(const Job& job);
  void forget(const SeenJob& seen, bool element);
  void join_alike(const Job& job, std::uint32_t& made);
  void merge_elastic();
  std::uint32_t settle(const Job& job);
  void note_ends(const Claim& claim);
  void drop_ends(const Job& job);
  void note_steady(const Job& job, int sign);
  void rank_users();
  void find_obstacles();

  void visit(const Job& job);
  void visit_array(const Job& base);
  void visit_element(const Job& job);
  std::uint32_t& startable(const Job& job);
  void add_parked(const Job& job);
  void add_running(const Job& job);
  void add_pending(const Job& job, std::uint32_t copies, std::uint32_t asked);
  void add_ending(const Job& job);
  void add_coming(const Job& job);
  HostCapacity* room_of_task(const Task& task);

  Memory& memory_;
  const Cluster& cluster_;
  WallTime now_;
  std::uint32_t left_;
  const std::shared_ptr<const LoadedHosts>& loaded_;
  Positions changed_;  // rooms
  Claims& claims_;
  ClaimMaker make_;
  std::map<std::uint32_t, std::uint32_t> startable_;  // array's number → elements that may start
  std::vector<JobId> gone_;                           // from memory_.elastic
  std::vector<Claim> fresh_;                          // for it
};

// To be changed: the next pass makes it anew.
HostCapacity* Collector::room_of_task(const Task& task) {
  std::size_t at = room_at(claims_.rooms, task.host);
  if (at >= claims_.rooms.size()) return nullptr;
  memory_.touched.push_back(static_cast<std::uint32_t>(at));
  return &claims_.rooms[at];
}

// It competes as a pending one would, for the places that it had.
void Collector::add_parked(const Job& job) {
  Claim claim = make_.claim(job);
  claim.parked = true;
  claim.resizes = false;
  claim.min = claim.max = tasks_wanted(job);
  if (claim.min > 0 && job.suspension.by.empty()) memory_.loose.push_back(claim);
}

void Collector::add_running(const Job& job) {
  memory_.loose.push_back(make_.running(job));
  if (job.spec().exclusive) {
    for (const Task& task : job.tasks) {
      HostCapacity* room = task.holds_slot() ? room_of_task(task) : nullptr;
      if (room) room->exclusive = true;
    }
  }
}

// Until it is gone its slots count, and nobody joins one that shares with nobody.
void Collector::add_ending(const Job& job) {
  Claim claim = make_.claim(job);
  claim.kind = ClaimKind::Fixed;
  claim.held = slots_held(job);
  if (claim.held > 0) claims_.ending.push_back(claim);
  for (const Task& task : job.tasks) {
    HostCapacity* room = task.holds_slot() && job.spec().exclusive ? room_of_task(task) : nullptr;
    if (room) room->clearing = true;
  }
}

// What leaving and condemned tasks hold will be free; stuck ones' will not.
void Collector::add_coming(const Job& job) {
  bool ends = job.kill || job.ending || job.waits.preempted || is_over(job.state);
  if (ends && !job.parked) add_ending(job);
  for (const Task& task : job.tasks) {
    if (!task.holds_slot() || (is_wanted(task) && !ends) || job.parked) continue;
    HostCapacity* room = room_of_task(task);
    if (!room || !room->open) continue;
    if (task.state == TaskState::Stuck) claims_.stuck_gpus += std::ssize(task.gpus);
    else release(*room, job.id, held_by(job), task);
  }
}

void Collector::add_pending(const Job& job, std::uint32_t copies, std::uint32_t asked) {
  Claim claim = make_.claim(job);
  if (auto gang = gang_of(cluster_, job); !gang.empty()) {
    claim.gang = job.id.job;
    claim.gang_size = static_cast<std::uint32_t>(gang.size());
  }
  claim.copies = copies;
  claim.asked = asked;
  if (is_independent(job)) make_.look_again(job.size.grow_again);
  make_.await_setbacks(job);
  if (auto waits = not_eligible(cluster_, job, now_)) {
    claims_.idle.push_back({job.id, &job, waits->code, claim.request, std::move(waits->text)});
    return;
  }
  auto code = make_.obstacle(job.spec().queue, claim);
  if (!code && left_ == 0) code = PendCode::New;
  if (code) {
    std::string text = *code == PendCode::Excluded ? make_.fault_words(job) : "";
    if (!text.empty()) code = PendCode::StartFailed;
    claims_.idle.push_back({job.id, &job, *code, claim.request, std::move(text)});
    return;
  }
  --left_;
  if (is_independent(job) && !job.spec().exec.service.empty()) make_.hurry();
  memory_.loose.push_back(claim);
}

void Collector::visit_array(const Job& base) {
  if (base.spec().open || !base.spec().groups.empty()) return;  // those that wait are made already
  std::uint32_t total = element_count(base.spec()), unmade = 0;
  for (std::uint32_t p = base.elements.next_position; p < total; ++p) {
    unmade += cluster_.elements.find(base.elements.first + p) == nullptr;
  }
  if (unmade == 0) return;
  std::uint32_t may = unmade;
  if (auto eligible = eligible_elements(cluster_, base)) {
    may = static_cast<std::uint32_t>(eligible->size());
    claims_.eligible[base.id.job] = std::move(*eligible);
  }
  add_pending(base, std::min(may, startable(base)), unmade);
}

// How many more elements of the job's array may start; all of one that is no array.
std::uint32_t& Collector::startable(const Job& job) {
  auto [it, is_new] = startable_.try_emplace(job.id.job, ~0u);
  std::uint32_t limit = job.spec().array_limit;
  const Job* base = is_new && limit ? cluster_.jobs.find(job.id.job) : nullptr;
  if (base) it->second = limit - std::min(limit, base->elements.active);
  return it->second;
}

void Collector::visit_element(const Job& job) {
  std::uint32_t& left = startable(job);
  add_pending(job, left > 0 ? 1 : 0, 1);
  if (left > 0) --left;
}

void Collector::visit(const Job& job) {
  // The job that this one makes way for is owed room, even if this one was ended for it.
  if (JobId by = makes_way_for(cluster_, job); by != JobId{}) claims_.owed.push_back(by);
  switch (job.state) {
    case JobState::Pending:
      if (job.id.index > 0) visit_element(job);
      else add_pending(job, 1, 1);
      break;
    case JobState::Held: claims_.idle.push_back({job.id, &job, PendCode::Held, 0}); break;
    case JobState::Array:
      if (!job.kill) visit_array(job);
      break;
    case JobState::Launching:
    case JobState::Running:
    case JobState::Suspended:
    case JobState::Unknown:
      if (job.kill || job.ending || job.waits.preempted) break;
      if (!job.parked) add_running(job);
      else if (job.state == JobState::Suspended) add_parked(job);
      break;
    default: break;
  }
  if (!job.tasks.empty()) add_coming(job);
}

// ---- what has changed since the last pass --------------------------------------------------

Claims& Collector::open() {
  // Kinds that nobody asks for any more are kept: start afresh before they are many.
  constexpr std::size_t kMany = 4096;
  std::size_t kept = memory_.kinds.size() + memory_.steady.size() + memory_.owners.size();
  bool stale = kept > kMany + memory_.seen_jobs.size() ||
               (memory_.claims && memory_.claims->requests.size() > kMany + memory_.first_requests);
  if (stale || !memory_.claims || memory_.config != cluster_.config ||
      !same_hosts(memory_.claims->rooms, cluster_))
    start_afresh();
  return *memory_.claims;
}

void Collector::start_afresh() {
  memory_ = Memory();
  memory_.config = cluster_.config;
  Claims& claims = memory_.claims.emplace(*memory_.config);
  cluster_.hosts.each(
      [&](std::uint32_t, const Host& host) { claims.rooms.push_back(room_of(host)); });
  claims.switches = Switches(*memory_.config, claims.rooms);
  claims.ends.reset(claims.rooms.size());
  claims.steady_on.resize(claims.rooms.size());
  for (std::uint32_t at = 0; at < claims.rooms.size(); ++at) changed_.push_back(at);
}

void Collector::refresh_rooms() {
  HostChanges changes;
  std::uint32_t at = 0;
  for (std::uint32_t room : std::exchange(memory_.touched, {})) {
    claims_.rooms[room] = room_of(*claims_.rooms[room].host);
    changed_.push_back(room);
  }
  cluster_.hosts.each([&](std::uint32_t, const Host& host) {
    HostCapacity& room = claims_.rooms[at];
    if (room.host != &host) {
      changes.any.push_back(at);
      if (!looks_the_same(*room.host, host)) changes.kind.push_back(at);
      room = room_of(host);
    }
    ++at;
  });
  if (!changes.any.empty()) claims_.requests.refresh(changes, claims_.rooms);
  changed_.insert(changed_.end(), changes.any.begin(), changes.any.end());
  auto busy = claims_.requests.set_loaded(loaded_, claims_.rooms);
  changed_.insert(changed_.end(), busy.begin(), busy.end());
}

void Collector::join_alike(const Job& job, std::uint32_t& made) {
  Claim claim = make_.claim(job);
  Memory::Kind kind{claim.request, claim.owner, claim.order.place, claim.order.user_priority,
                    claim.min,     claim.max,   claim.gain.sizes,  claim.limit.count(),
                    claim.resizes};
  auto next = static_cast<std::uint32_t>(memory_.alike.size());
  made = memory_.kinds.try_emplace(kind, next).first->second;
  if (made == next) {
    claim.alike = next + 1;
    memory_.alike.push_back({claim, {}, {}});
  }
  auto& jobs = memory_.alike[made].jobs;
  if (jobs.empty() || jobs.back() < job.id.job) jobs.push_back(job.id.job);
  else jobs.insert(std::lower_bound(jobs.begin(), jobs.end(), job.id.job), job.id.job);
}

// Of a running job: among those that are counted together, or by itself.
std::uint32_t Collector::settle(const Job& job) {
  Claim claim = make_.running(job);
  claim.timed = true;
  note_ends(claim);
  if (claim.kind == ClaimKind::Elastic) {
    fresh_.push_back(claim);
    return SeenJob::kElastic;
  }
  auto next = static_cast<std::uint32_t>(claims_.steady.size());
  auto [it, is_new] = memory_.steady.try_emplace({claim.request, claim.owner}, next);
  if (is_new) claims_.steady.push_back({claim.request, claim.owner, claim.price.gpu});
  claims_.steady[it->second].add(claim);
  note_steady(job, 1);
  return SeenJob::kSteady + it->second;
}

void Collector::note_steady(const Job& job, int sign) {
  for (const Task& task : job.tasks) {
    std::size_t at = room_at(claims_.rooms, task.host);
    if (!is_wanted(task) || at >= claims_.rooms.size()) continue;
    claims_.steady_on[at].slots += sign;
    claims_.steady_on[at].gpus += sign * std::ssize(task.gpus);
  }
}

void Collector::note_ends(const Claim& claim) {
  each_end(claim, [&](const Task& task, WallTime at) {
    auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
    if (room < claims_.rooms.size()) claims_.ends.add(room, {at, claim.job, &task});
  });
}

void Collector::drop_ends(const Job& job) {
  for (const Task& task : job.tasks) {
    auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
    if (room < claims_.rooms.size()) claims_.ends.remove(room, task);
  }
}

std::uint32_t Collector::read(const Job& job) {
  std::uint32_t made = SeenJob::kNothing;
  if (is_loose(job, make_, *cluster_.config)) {
    visit(job);
    return SeenJob::kLoose;
  }
  bool only_delivers = job.outcome.delivers_on && job.holding.slots == 0;
  if (is_over(job.state) || only_delivers) return made;
  if (job.state == JobState::Pending) {
    join_alike(job, made);
  } else if (!job.kill && !job.ending) {
    made = settle(job);
  }
  return made;
}

void Collector::forget(const SeenJob& seen, bool element) {
  if (seen.made == SeenJob::kNothing || seen.made == SeenJob::kLoose) return;
  if (seen.made >= SeenJob::kSteady) drop_ends(*seen.job);
  if (seen.made == SeenJob::kElastic) return gone_.push_back(seen.job->id);
  if (seen.made >= SeenJob::kSteady) {
    note_steady(*seen.job, -1);
    return claims_.steady[seen.made - SeenJob::kSteady].remove(
        *seen.job, cluster_.config->cluster.sched.priority_step);
  }
  if (element) return;
  auto& jobs = memory_.alike[seen.made].jobs;
  jobs.erase(std::lower_bound(jobs.begin(), jobs.end(), seen.number));
}

void Collector::look(const Table<Job>& table, std::vector<SeenJob>& seen) {
  bool elements = &table == &cluster_.elements;
  std::vector<SeenJob> now;
  now.reserve(seen.size() + Table<Job>::kChunk);
  auto before = seen.begin();
  table.each([&](std::uint64_t number, const Job& job) {
    while (before != seen.end() && before->number < number) forget(*before++, elements);
    bool known = before != seen.end() && before->number == number;
    bool same = known && before->job == &job && before->made != SeenJob::kLoose;
    if (known && !same) forget(*before, elements);
    now.push_back(same ? *before : SeenJob{number, read(job), &job});
    if (known) ++before;
  });
  while (before != seen.end()) forget(*before++, elements);
  seen = std::move(now);
}

void Collector::merge_elastic() {
  auto& running = memory_.elastic;
  std::sort(gone_.begin(), gone_.end());
  if (!gone_.empty())
    std::erase_if(running, [&](const Claim& claim) {
      return std::binary_search(gone_.begin(), gone_.end(), claim.id);
    });
  put_in_order(fresh_);
  auto middle = static_cast<std::ptrdiff_t>(running.size());
  running.insert(running.end(), fresh_.begin(), fresh_.end());
  std::inplace_merge(running.begin(), running.begin() + middle, running.end(), goes_before);
}

// Ranks move with use, not with events of the jobs.
void Collector::rank_users() {
  const auto& queues = cluster_.config->queues;
  bool any = std::any_of(queues.begin(), queues.end(),
                         [](const QueueConf& queue) { return queue.order == JobOrder::FairShare; });
  if (!any) return;
  std::vector<std::uint32_t> ranks(memory_.owners.size());
  for (const auto& [owner, number] : memory_.owners) ranks[number] = make_.fair_rank(owner.second);
  for (Claim& claim : memory_.elastic)
    if (make_.order_of(claim) == JobOrder::FairShare) claim.order.by_queue = ranks[claim.owner];
  for (Steady& group : claims_.steady)
    for (Claim& claim : group.claims)  // alike: their order stays
      if (make_.order_of(claim) == JobOrder::FairShare) claim.order.by_queue = ranks[claim.owner];
  for (AlikeJobs& kind : memory_.alike)
    if (make_.order_of(kind.like) == JobOrder::FairShare)
      kind.like.order.by_queue = ranks[kind.like.owner];
  put_in_order(memory_.elastic);
}

void Collector::find_obstacles() {
  for (AlikeJobs& kind : memory_.alike) {
    if (kind.jobs.empty()) continue;
    kind.like.job = cluster_.jobs.find(kind.jobs.front());
    kind.obstacle = make_.obstacle(kind.like.spec().queue, kind.like);
  }
}

void Collector::run() {
  claims_.idle.clear();
  claims_.owed.clear();
  claims_.ending.clear();
  claims_.eligible.clear();
  claims_.stuck_gpus = 0;
  claims_.quiet_until = {};
  memory_.loose.clear();
  refresh_rooms();
  claims_.now = now_;
  claims_.rules = Rules(cluster_, now_);
  claims_.kept = kept_slots(cluster_, claims_.rooms, now_);
  // Elements first: they take their part of an array's limit before the unmade ones.
  look(cluster_.elements, memory_.seen_elements);
  look(cluster_.jobs, memory_.seen_jobs);
  std::sort(claims_.owed.begin(), claims_.owed.end());
  memory_.jobs = cluster_.jobs;
  memory_.elements = cluster_.elements;
  memory_.hosts = cluster_.hosts;
  merge_elastic();
  rank_users();
  find_obstacles();
  changed_.insert(changed_.end(), memory_.touched.begin(), memory_.touched.end());
  claims_.tally.update(claims_.rooms, changed_, claims_.requests);
  if (memory_.first_requests == 0) memory_.first_requests = claims_.requests.size();
}

}  // namespace

void refresh(Memory& memory, const Cluster& cluster, WallTime now, std::uint32_t max_pending,
             const std::shared_ptr<const LoadedHosts>& loaded) {
  Collector(memory, cluster, now, max_pending, loaded).run();
}

Claims collect(const Cluster& cluster, WallTime now, std::uint32_t max_pending) {
  Memory memory;
  refresh(memory, cluster, now, max_pending);
  line_up(memory, {max_pending, ~0u, true});
  return std::move(*memory.claims);
}

}  // namespace wm::sched
