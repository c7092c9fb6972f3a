// Fields by what an event's struct has: a new event needs no line here.
#include "daemons/wmasterd/state/event_log.h"

namespace wm::master {
namespace {

std::string host_name(HostId id, const Cluster& state) {
  const Host* host = state.hosts.find(id.value);
  return host ? host->name : "#" + std::to_string(id.value);
}

void add_mark(const GpuMark& mark, std::vector<log::Field>& fields) {
  fields.emplace_back("mark", mark.closed ? "closed" : mark.sick ? "sick" : "none");
  if (!mark.closed_by.empty()) fields.emplace_back("by", mark.closed_by);
  const auto& why = mark.closed ? mark.closed_why : mark.sick_why;
  if (!why.empty()) fields.emplace_back("why", why);
}

template <class Body>
void add(const Body& body, const Cluster& after, std::vector<log::Field>& fields) {
  if constexpr (requires { HostId{body.host}; })
    fields.emplace_back("host", host_name(body.host, after));
  if constexpr (requires { std::string{body.queue}; }) fields.emplace_back("queue", body.queue);
  if constexpr (requires { std::string{body.uuid}; }) fields.emplace_back("gpu", body.uuid);
  if constexpr (requires { GpuMark{body.mark}; }) add_mark(body.mark, fields);
  if constexpr (requires { std::string{body.by}; })
    if (!body.by.empty()) fields.emplace_back("by", body.by);
  if constexpr (requires { std::string{body.why}; })
    if (!body.why.empty()) fields.emplace_back("why", body.why);
}

// Ends that are no doing of the job's owner.
bool is_fault(Term term) {
  return term == Term::HostLost || term == Term::ShepherdLost || term == Term::LaunchFailed ||
         term == Term::PrologFailed;
}

log::Level level_of(const HostSilent&) { return log::Level::Warn; }
log::Level level_of(const HostDied&) { return log::Level::Error; }
log::Level level_of(const HostFenceFailed&) { return log::Level::Error; }
log::Level level_of(const TaskStuck&) { return log::Level::Warn; }
log::Level level_of(const TaskCondemned&) { return log::Level::Warn; }
log::Level level_of(const ClockStepped&) { return log::Level::Warn; }
log::Level level_of(const GpuMarked& e) {
  return e.mark.sick ? log::Level::Warn : log::Level::Info;
}
log::Level level_of(const TaskEnded& e) {
  return is_fault(e.term) ? log::Level::Warn : log::Level::Info;
}
template <class Body>
log::Level level_of(const Body&) {
  return log::Level::Info;
}

}  // namespace

log::Level event_level(const EventBody& body) {
  return std::visit([](const auto& e) { return level_of(e); }, body);
}

std::vector<log::Field> event_fields(const Event& event, const Cluster& after) {
  std::vector<log::Field> fields = {{"seq", event.seq.value}};
  if (JobId job = job_of(event.body); job != JobId{}) fields.emplace_back("job", to_string(job));
  else std::visit([&](const auto& body) { add(body, after, fields); }, event.body);
  if (const auto* step = std::get_if<ClockStepped>(&event.body)) {
    fields.emplace_back("by_s", std::chrono::duration_cast<std::chrono::seconds>(step->by).count());
    fields.emplace_back("waits", step->waits ? "yes" : "no");
  }
  if (const auto* ended = std::get_if<TaskEnded>(&event.body); ended && is_fault(ended->term))
    fields.emplace_back("term", term_name(ended->term));
  return fields;
}

}  // namespace wm::master
