#include "daemons/wnoded/core.h"

#include <algorithm>
#include <utility>

#include "daemons/wnoded/gpu_needs.h"
#include "daemons/wnoded/gpu_overuse.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

using Stage = LocalAttempt::Stage;

/// Hosts with agents of elastic jobs beat at least as often, so that these see a silent master
/// early.
constexpr Duration kAgentBeat = std::chrono::milliseconds(400);

bool verb_is(std::uint16_t type, NodeVerb verb) { return type == static_cast<std::uint16_t>(verb); }

/// Decodes and passes on. @errors Damaged
template <class T, class Use>
Result<void> with(const std::string& payload, Use use) {
  WM_TRY(auto value, codec::decode<T>(payload));
  use(std::move(value));
  return {};
}

}  // namespace

Core::Core(Env& env, HostRegister card, launch::HostFacts host)
    : host_{env, std::move(host), card.capacity.gpus},
      boot_(card.boot),
      session_(env, std::move(card)),
      probe_(env, host_.facts,
             [this](std::uint32_t faults) { session_.tell(FactHostWell{faults}); }),
      reporter_(session_, probe_, energy_),
      attempts_(
          [this](const auto& key) { return session_.facts().any_about(key) || gpus_.drains(key); },
          [this](const auto& key) { uses_.forget(key), energy_.forget(key); }),
      uses_(env),
      gpus_(
          host_, reporter_, [this](const auto& key, const auto& fact) { on_drained(key, fact); },
          [this](const auto& readings) { return on_gpus_read(readings); }),
      meetings_(host_, reporter_),
      steering_(host_, attempts_, gpus_, meetings_, reporter_),
      orders_(host_, attempts_, session_, gpus_, steering_),
      words_(host_, attempts_, reporter_, gpus_, steering_),
      agents_(host_, attempts_, reporter_),
      peeks_(host_) {
  probe_.note_start();
}

void Core::adopt(const std::vector<launch::ShepherdUp>& shepherds,
                 const std::vector<launch::ExitRecord>& records) {
  energy_.load(host_.env.kept_gpu_energy(), boot_);
  for (const auto& up : shepherds) {
    if (Probe::owns(up.key)) continue;  // it ends by itself
    if (Mps::owns(up.key)) gpus_.mps().adopt(up);
    else adopt_shepherd(up);
  }
  for (const auto& record : records)
    if (!Mps::owns(record.key) && !Probe::owns(record.key)) adopt_record(record);
  auto& all = attempts_.all();
  for (auto at = all.begin(); at != all.end();) {
    at->second.delivers = at->second.delivers || at->second.stage != Stage::Over;
    attempts_.drop_if_done((at++)->first);
  }
}

void Core::adopt_shepherd(const launch::ShepherdUp& up) {
  auto& attempt = attempts_.add(up.key);
  attempts_.note(up.key);
  attempt.stage = Stage::Up;
  if (auto order = codec::decode<HostOrder>(up.memo)) attempt.order = *std::move(order);
  attempt.order.job = up.key.job;
  attempt.order.attempt = up.key.attempt;
  attempt.told.relaunches = attempt.order.control.relaunches;
  meetings_.hold(attempt);
  words_.on(attempt, up);
  if (CpuBinding::is_asked(attempt.order))
    for (const auto& [number, task] : attempt.tasks)
      if (!task.ended && task.pid > 0)
        attempt.cpus.recall(number, host_.env.cpus_of(task.pid), host_.facts);
  orders_.authorise_adopted(attempt);
  log::info("attempt_adopted", {{"attempt", to_string(up.key)}, {"tasks", up.tasks.size()}});
}

void Core::adopt_record(const launch::ExitRecord& record) {
  bool fresh = !attempts_.contains(record.key);
  auto& attempt = attempts_.add(record.key);
  if (fresh) {
    attempt.stage = Stage::Over;
    attempts_.note(record.key);
  }
  bool lives = attempt.stage == Stage::Up;
  if (record.task && !attempt.tasks[record.task].ended) {
    auto ago = std::max(Duration{}, host_.env.wall() - record.ended);
    attempt.tasks[record.task].until = host_.env.mono() - ago;
    words_.task_ended(attempt, record, lives && attempt.delivers);
  }
  if (record.task || lives) return;
  attempt.delivers = true;  // the master may have been told so
  words_.on(attempt, launch::Delivered{});
}

void Core::on_address(const std::string& address, const std::string& interface) {
  session_.on_address(address);
  host_.facts.address = address;
  host_.facts.interface = interface;
}

void Core::on_session() {
  for (auto& [key, attempt] : attempts_.all()) attempt.meeting.forget_told();
  energy_.keep_only([this](const auto& key) { return attempts_.contains(key); });
  session_.on_open(gpus_.reports(), statuses());
}

/// Ends that are not acknowledged count as known: the fact itself follows at once.
std::vector<AttemptStatus> Core::statuses() const {
  std::vector<AttemptStatus> all;
  const auto& facts = session_.facts();
  for (const auto& [key, attempt] : attempts_.all()) {
    if (attempt.forgotten && attempt.stage == Stage::Over) continue;
    AttemptStatus status{key.job, key.attempt, {}, attempt.agent.address, attempt.agent.doors};
    for (const auto& [number, task] : attempt.tasks)
      if (!task.ended || facts.end_waits(key, number) || gpus_.drains(key, number) ||
          is_held_back(attempt, number))
        status.tasks.push_back({number, task.pid});
    bool told = status.tasks.empty() && !facts.any_about(key);
    if (attempt.stage != Stage::Over || !told) all.push_back(std::move(status));
  }
  return all;
}

Result<void> Core::on_frame(std::uint16_t type, const std::string& payload) {
  session_.on_heard();
  if (verb_is(type, NodeVerb::Heartbeat)) return on_master_beat(payload);
  if (verb_is(type, NodeVerb::Order))
    return with<HostOrder>(payload, [this](HostOrder o) { orders_.on_order(std::move(o)); });
  if (verb_is(type, NodeVerb::Agent))
    return with<AgentOrder>(payload, [this](const AgentOrder& o) { agents_.on_order(o); });
  if (verb_is(type, NodeVerb::Signal))
    return with<HostSignal>(payload, [this](const HostSignal& s) { orders_.on_signal(s); });
  if (verb_is(type, NodeVerb::Forget))
    return with<HostForget>(payload, [this](const HostForget& f) { orders_.on_forget(f); });
  if (verb_is(type, NodeVerb::Recall))
    return with<HostRecall>(payload, [this](const HostRecall& r) { orders_.on_recall(r); });
  if (verb_is(type, NodeVerb::Peek))
    return with<PeekRequest>(payload, [this](const PeekRequest& asked) {
      peeks_.answer(asked, attempts_.find({asked.job, asked.attempt}));
    });
  if (verb_is(type, NodeVerb::Ack))
    return with<HostAck>(payload, [this](const HostAck& a) {
      if (auto key = session_.facts().acknowledge(a.number)) attempts_.drop_if_done(*key);
    });
  if (verb_is(type, NodeVerb::Welcome)) {
    WM_TRY(auto welcome, codec::decode<HostWelcome>(payload));
    return on_welcome(welcome);
  }
  if (verb_is(type, NodeVerb::Refused))
    return fail(Code::Denied, "the master refuses this host: " + payload);
  return fail(Code::BadArgument, "unknown frame type " + std::to_string(type));
}

Result<void> Core::on_welcome(const HostWelcome& words) {
  WM_TRY(session_.follow(words.master));
  host_.facts.id = words.host;
  host_.facts.cluster = words.cluster;
  host_.facts.limits = words.limits;  // what runs here as root, and where, is our own files' word
  host_.times = words.times;
  uses_.say_again();
  log::info("registered", {{"host", host_.facts.name}, {"number", words.host.value}});
  return {};
}

// One of an earlier version says nothing.
Result<void> Core::on_master_beat(const std::string& payload) {
  if (payload.empty()) return {};
  WM_TRY(auto master, codec::decode<MasterRank>(payload));
  session_.on_rank(master);
  return {};
}

void Core::on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word) {
  if (Mps::owns(key)) return gpus_.mps().on_word(key, word);
  if (Probe::owns(key)) return probe_.on_word(key, word);
  auto* attempt = attempts_.find(key);
  if (!attempt) return;
  if (const auto* used = std::get_if<launch::Used>(&word)) return uses_.hear(*attempt, *used);
  std::visit([&](const auto& w) { words_.on(*attempt, w); }, word);
}

void Core::on_shepherd_lost(const launch::AttemptKey& key) {
  if (Mps::owns(key)) return gpus_.mps().on_shepherd_lost(key, host_.times.kill_grace);
  if (Probe::owns(key)) return probe_.on_shepherd_lost(key);
  if (auto* attempt = attempts_.find(key)) words_.on_lost(*attempt);
}

void Core::on_drained(const launch::AttemptKey& key, const FactEnded& fact) {
  auto* attempt = attempts_.find(key);
  if (!attempt) return;
  reporter_.say(*attempt, fact);
  attempts_.drop_if_done(key);
}

// Said again with each look: the master ends a task once.
std::map<std::string, std::string> Core::on_gpus_read(
    const std::vector<gpu::GpuReading>& readings) {
  uses_.look(readings, gpu_holders(attempts_), host_.times.gpu_check);
  auto kept_back = [this](const auto& key, TaskNumber task) { return gpus_.drains(key, task); };
  energy_.look(readings, gpu_holds(attempts_, kept_back), host_.env.mono());
  auto over =
      gpu_overuses(readings, attempts_, [this](const auto& uuid) { return gpus_.base(uuid); });
  uses_.set_gpu_over(over);
  if (host_.facts.limits.gpu_memory_overuse == "end")
    for (const auto& [key, list] : over)
      for (const auto& use : list) reporter_.pass_on(FactGpuOveruse{key.job, key.attempt, use});
  return overuse_words(over);
}

/// Of jobs that run the master is told as well.
void Core::keep_gpu_energy() {
  if (!energy_.take_changed()) return;
  host_.env.keep_gpu_energy(energy_.text(boot_));
  uses_.set_gpu_energy(energy_.running());
}

void Core::look_after_gpus() {
  if (gpus_.look_at_daemons(attempts_)) {
    std::vector<launch::AttemptKey> waiting;
    for (const auto& [key, attempt] : attempts_.all())
      if (attempt.order.resolved.task.mps_uid && attempt.stage != Stage::Authorising &&
          attempt.stage != Stage::Sweeping)
        waiting.push_back(key);
    for (const auto& key : waiting) {
      steering_.bring_in_line(*attempts_.find(key));
      attempts_.drop_if_done(key);
    }
  }
  gpus_.look_at_devices(attempts_, session_.is_open());
  keep_gpu_energy();
  if (session_.is_open()) uses_.on_tick();
}

void Core::on_tick(double load, Bytes free_mem, const HostLoad& more) {
  auto seen = session_.seen();
  look_after_gpus();
  meetings_.on_tick(attempts_, session_.is_open());
  probe_.on_tick(host_.times.kill_grace);
  bool agents = agents_.on_tick(seen);
  auto pause = host_.times.heartbeat;
  HostHeartbeat words{load, free_mem, more};
  session_.beat(agents ? std::min(pause, kAgentBeat) : pause, std::move(words));
  if (attempts_.take_shrink())
    host_.env.keep_records(
        [this](const launch::ExitRecord& record) { return attempts_.contains(record.key); });
}

NodeNumbers Core::numbers() const {
  NodeNumbers made;
  made.session = session_.is_open();
  made.untold = session_.facts().size();
  made.launches = words_.launches();
  made.gpus = gpus_.reports();
  made.readings = gpus_.readings();
  for (const auto& [key, attempt] : attempts_.all()) {
    if (attempt.stage == Stage::Over) continue;
    ++made.attempts;
    if (attempt.stuck) ++made.stuck;
    for (const auto& [number, task] : attempt.tasks)
      if (task.pid != 0 && !task.ended) ++made.tasks;
  }
  return made;
}

}  // namespace wm::node
