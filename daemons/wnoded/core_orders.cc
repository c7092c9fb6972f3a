// What wnoded does when the master says something.
#include <signal.h>

#include <algorithm>

#include "daemons/wnoded/core.h"
#include "daemons/wnoded/web_port.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/elastic/agent_change.h"
#include "libwm/launch/part_env.h"
#include "libwm/launch/warm.h"

namespace wm::node {
namespace {

std::string term_words(Term term) {
  if (term == Term::None) return "";
  return std::string(term_name(term)) + ": " + std::string(term_text(term)) + ".";
}

bool verb_is(std::uint16_t type, NodeVerb verb) { return type == static_cast<std::uint16_t>(verb); }

/// Decodes and passes on. @errors Damaged
template <class T, class Use>
Result<void> with(const std::string& payload, Use use) {
  WM_TRY(auto value, codec::decode<T>(payload));
  use(std::move(value));
  return {};
}

/// What ends the tasks of an order that this host may not, or cannot, follow: fsm/fault has
/// the fault of each.
Term term_of(const Error& refusal) {
  switch (refusal.code) {
    case Code::Stale: return Term::NotSigned;
    case Code::Version: return Term::ConfigGap;
    case Code::Denied:
    case Code::Damaged: return Term::Denied;
    default: return Term::LaunchFailed;
  }
}

HostRecalled recalled(const HostRecall& asked, const HostOrder* known) {
  HostRecalled said{asked.job, {}};
  if (!known) return said;
  said.order = *known;
  said.order.blobs = {};
  return said;
}

bool starts(const OrderedTask& task) { return task.has_process && !task.kill && !task.leave; }

}  // namespace

std::string memo_of(const HostOrder& order) {
  auto memo = order;
  memo.blobs.env.clear();
  memo.blobs.script.clear();
  memo.blobs.data.clear();
  return codec::encode(memo);
}

Result<void> Core::on_frame(std::uint16_t type, const std::string& payload) {
  heard_ = outside_.mono();
  if (verb_is(type, NodeVerb::Heartbeat)) return on_master_beat(payload);
  if (verb_is(type, NodeVerb::Order))
    return with<HostOrder>(payload, [this](HostOrder o) { on_order(std::move(o)); });
  if (verb_is(type, NodeVerb::Agent))
    return with<AgentOrder>(payload, [this](AgentOrder o) { on_agent_order(o); });
  if (verb_is(type, NodeVerb::Signal))
    return with<HostSignal>(payload, [this](HostSignal s) { on_signal(s); });
  if (verb_is(type, NodeVerb::Forget))
    return with<HostForget>(payload, [this](HostForget f) { on_forget(f); });
  if (verb_is(type, NodeVerb::Recall))
    return with<HostRecall>(payload, [this](const HostRecall& asked) {
      auto at = attempts_.find({asked.job, asked.attempt});
      bool known = at != attempts_.end() && at->second.stage == Stage::Up;
      auto said = recalled(asked, known ? &at->second.order : nullptr);
      outside_.send(NodeVerb::Recalled, codec::encode(said));
    });
  if (verb_is(type, NodeVerb::Peek))
    return with<PeekRequest>(payload, [this](PeekRequest p) { on_peek(p); });
  if (verb_is(type, NodeVerb::Ack))
    return with<HostAck>(payload, [this](HostAck a) {
      if (auto key = facts_.acknowledge(a.number)) drop_if_done(*key);
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
  if (!may_obey(card_.obeyed, words.master))
    return fail(Code::Denied, "the master's state is older than what this host has obeyed: " +
                                  to_string(words.master) + " against " + to_string(card_.obeyed) +
                                  "; see badmin take-over");
  host_.id = words.host;
  host_.cluster = words.cluster;
  host_.limits = words.limits;  // what runs here as root, and where, is our own files' word
  times_ = words.times;
  obey(words.master, true);
  uses_.say_again();
  log::info("registered", {{"host", host_.name}, {"number", words.host.value}});
  return {};
}

// One of an earlier version says nothing.
Result<void> Core::on_master_beat(const std::string& payload) {
  if (payload.empty()) return {};
  WM_TRY(auto master, codec::decode<MasterRank>(payload));
  if (may_obey(card_.obeyed, master)) obey(master, false);
  return {};
}

// A restored store is minutes old at least: what is kept need not be newer than that.
void Core::obey(const MasterRank& master, bool at_once) {
  constexpr Duration kKeepEvery = std::chrono::seconds(10);
  if (master.store.empty() || master == card_.obeyed) return;
  card_.obeyed = master;
  if (!at_once && outside_.mono() - obeyed_kept_ < kKeepEvery) return;
  obeyed_kept_ = outside_.mono();
  outside_.keep_obeyed(master);
}

bool Core::is_stale(const launch::AttemptKey& key) const {
  auto at = newest_.find(key.job);
  return at != newest_.end() && key.attempt < at->second;
}

void Core::on_order(HostOrder order) {
  launch::AttemptKey key{order.job, order.attempt};
  if (is_stale(key)) {
    log::warn("order_refused", {{"attempt", to_string(key)}, {"why", "a newer attempt is known"}});
    return;
  }
  bool next = key.attempt > newest_[key.job] && key.attempt.value > 1;
  if (next) on_forget({key.job, Attempt{key.attempt.value - 1}});
  newest_[key.job] = key.attempt;
  auto at = attempts_.find(key);
  if (at == attempts_.end()) return take_up(key, std::move(order));
  auto& entry = at->second;
  if (order.generation < entry.order.generation) return;
  bool both_signed = !entry.order.sealed.spec.empty() && !order.sealed.spec.empty();
  if (both_signed && !same_signature(order, entry.order))
    return authorise_anew(key, std::move(order));
  take_over(key, entry, std::move(order));
}

// Its owner signed something else meanwhile: until that is proven the order before it holds.
void Core::authorise_anew(const launch::AttemptKey& key, HostOrder order) {
  auto asked = std::make_shared<HostOrder>(std::move(order));
  outside_.authorise(*asked, [this, key, asked](const Result<Authorised>& permit) {
    auto at = attempts_.find(key);
    if (at == attempts_.end() || asked->generation < at->second.order.generation) return;
    bool same_owner = asked->resolved.owner == at->second.order.resolved.owner;
    if (permit && same_owner) return take_over(key, at->second, std::move(*asked));
    log::warn("order_refused", {{"attempt", to_string(key)},
                                {"why", permit ? "of another owner" : permit.error().text}});
  });
}

void Core::take_over(const launch::AttemptKey& key, Entry& entry, HostOrder order) {
  if (order.sealed.spec.empty()) {  // it is known
    order.sealed.spec = entry.order.sealed.spec;
    order.sealed.credential = entry.order.sealed.credential;
    order.sealed.request_key = entry.order.sealed.request_key;
  }
  auto as_signed = order.sealed.spec.empty() ? Result<void>{} : check_as_signed(order);
  if (!as_signed) {
    log::warn("order_refused", {{"attempt", to_string(key)}, {"why", as_signed.error().text}});
    return;
  }
  if (entry.own) put_own(order, *entry.own);
  if (order.blobs.env.empty()) order.blobs.env = std::move(entry.order.blobs.env);
  if (order.blobs.script.empty()) order.blobs.script = std::move(entry.order.blobs.script);
  if (order.blobs.data.empty()) order.blobs.data = std::move(entry.order.blobs.data);
  // The host that has leased it knows it first.
  bool ours = serves_port(order) && entry.order.team.port != 0;
  if (order.team.port == 0 || ours) order.team.port = entry.order.team.port;
  order.team.in_place |= entry.order.team.in_place;  // the master may not have heard of it yet
  entry.order = std::move(order);
  entry.forgotten = false;
  if (entry.stage == Stage::Up || entry.stage == Stage::Over) bring_in_line(key, entry);
  drop_if_done(key);
}

void Core::take_up(const launch::AttemptKey& key, HostOrder order) {
  auto& entry = attempts_[key];
  entry.order = std::move(order);
  outside_.authorise(entry.order,
                     [this, key](const Result<Authorised>& permit) { on_authorised(key, permit); });
}

void Core::grant(Entry& entry, const Authorised& permit) {
  entry.account = permit.account;
  entry.own = permit.own;
  put_own(entry.order, *entry.own);
  host_.dirs = permit.own.dirs;  // as our files say now
  host_.scripts = permit.own.scripts;
  host_.lost_output_fails = permit.own.lost_output_fails;
}

void Core::on_authorised(const launch::AttemptKey& key, const Result<Authorised>& permit) {
  auto at = attempts_.find(key);
  if (at == attempts_.end() || at->second.stage != Stage::Authorising) return;
  auto& entry = at->second;
  entry.stage = Stage::Over;
  if (permit) {
    grant(entry, *permit);
    bring_in_line(key, entry);
  } else {
    log::warn("attempt_refused", {{"attempt", to_string(key)}, {"why", permit.error().text}});
    never_started(key, entry, term_of(permit.error()), permit.error().text);
  }
  drop_if_done(key);
}

/// The one place where an order meets what runs: called for every order and every end.
void Core::bring_in_line(const launch::AttemptKey& key, Entry& entry) {
  entry.waits = false;
  if (entry.forgotten) return;
  if (entry.order.control.end) {
    auto term = entry.order.control.end_term;
    bool at_once = term == Term::ForceOwner || term == Term::ForceAdmin;
    if (entry.stage == Stage::Up && (at_once || !entry.ending))
      outside_.launcher().tell(key, launch::EndTasks{{}, at_once, 0, term_words(term)});
    entry.ending = true;
    return never_started(key, entry, term, "ended before it was started");
  }
  if (entry.order.control.preempt) {
    if (entry.stage == Stage::Up && !entry.warned)
      outside_.launcher().tell(key, launch::SignalTasks{{}, SIGTERM});
    entry.warned = true;
    never_started(key, entry, Term::Preempt, "preempted before it was started");
  } else if (mps_is_ready(key, entry)) {
    if (entry.stage == Stage::Over) {
      start(key, entry);
    } else {
      relaunch(key, entry);
      start_missing(key, entry);
      pass_on_suspension(key, entry);
      pass_on_run_limit(key, entry);
      pass_on_notice(key, entry);
      pass_on_writer(key, entry);
    }
  }
  end_unwanted(key, entry);
  release_bare(key, entry);
}

/// No task of its own runs here, but other hosts' commands will: an attempt with an agent only.
/// Once for the same tasks.
bool Core::opens_part(const Entry& entry) {
  const auto& order = entry.order;
  bool any = std::any_of(order.tasks.begin(), order.tasks.end(), [&](const OrderedTask& task) {
    return !task.kill && !task.leave && !entry.tasks.contains(task.task);
  });
  return any && launch::is_bare_part(order) && launch::wants_agent(order);
}

void Core::start(const launch::AttemptKey& key, Entry& entry) {
  if (!entry.account) return;
  auto missing = entry.order;
  std::erase_if(missing.tasks,
                [&](const OrderedTask& t) { return !starts(t) || entry.tasks.contains(t.task); });
  bool part = opens_part(entry);
  bool standby = launch::is_standby(entry.order);
  if (missing.tasks.empty() && !part && !standby) return;
  if (auto port = lease_port(key, entry.order); !port)
    return never_started(key, entry, Term::LaunchFailed, port.error().text);
  missing.team.port = entry.order.team.port;
  auto facts = host_;
  facts.owns_web_port = owns_web_port(outside_, key, entry.order, *entry.account);
  auto spec = launch::plan_attempt(missing, facts, *entry.account, times_);
  spec.memo = memo_of(entry.order);
  choose_cpus(entry);
  if (!entry.bindings.empty()) spec.files.push_back(affinity_file(entry));
  for (auto& task : spec.tasks) {
    entry.tasks[task.task];
    bind(entry, task);
    for (const auto& ordered : missing.tasks)
      if (ordered.task == task.task) add_mps(entry, ordered, task);
  }
  entry.stage = Stage::Up;
  entry.begun = outside_.mono();
  entry.suspended = entry.order.control.suspend;
  entry.run_limit = entry.order.resolved.run_limit;
  entry.relaunches = entry.order.control.relaunches;
  entry.writer = entry.order.team.writer;
  log::info(
      "attempt_start",
      {{"job", to_string(key.job)}, {"attempt", key.attempt.value}, {"tasks", spec.tasks.size()}});
  if (standby) spec.agent_argv.clear();  // one that is wanted comes when it is asked for
  outside_.launcher().start(spec);
  if (!standby) return;
  if (auto warm = launch::plan_warm(entry.order, host_)) outside_.launcher().tell(key, *warm);
}

void Core::start_missing(const launch::AttemptKey& key, Entry& entry) {
  if (entry.order.control.attach && entry.agent_address.empty())
    outside_.launcher().tell(key,
                             launch::StartAgent{{host_.sbin_dir + "/wagent"},
                                                launch::agent_environment(entry.order, host_)});
  choose_cpus(entry);
  launch::StartTasks order;
  for (const auto& task : entry.order.tasks) {
    if (!starts(task) || entry.tasks.contains(task.task)) continue;
    order.tasks.push_back(launch::plan_task(entry.order, host_, task));
    bind(entry, order.tasks.back());
    add_mps(entry, task, order.tasks.back());
    entry.tasks[task.task];
  }
  if (order.tasks.empty()) return;
  order.memo = memo_of(entry.order);
  order.limits = launch::limits_of(entry.order);
  outside_.launcher().tell(key, order);
}

void Core::end_unwanted(const launch::AttemptKey& key, Entry& entry) {
  for (const auto& task : entry.order.tasks) {
    bool leaves = task.leave && !entry.order.team.in_place && !entry.told.contains(task.task);
    if (!task.has_process || !(task.kill || leaves)) continue;
    auto known = entry.tasks.find(task.task);
    if (known != entry.tasks.end() && known->second.ended) continue;
    if (known == entry.tasks.end()) {
      end_unstarted(key, entry, task.task, task.kill ? task.term : Term::Left,
                    "ended before it was started");
      continue;
    }
    entry.told.insert(task.task);
    auto words = task.kill ? term_words(task.term) : "asked to leave";
    bool hangs = task.kill && task.term == Term::Hung;
    launch::EndTasks end{{task.task}, task.kill && !hangs, hangs ? SIGQUIT : SIGTERM, words};
    outside_.launcher().tell(key, end);
  }
}

/// Ordered tasks that never came to be: the master waits for their end.
void Core::never_started(const launch::AttemptKey& key, Entry& entry, Term term,
                         const std::string& why) {
  for (const auto& task : entry.order.tasks) {
    if (!task.has_process || entry.tasks.contains(task.task)) continue;
    end_unstarted(key, entry, task.task, term, why);
  }
}

void Core::on_forget(const HostForget& words) {
  if (!words.why.empty())
    log::warn("unknown_job_ended", {{"job", to_string(words.job)}, {"why", words.why}});
  std::vector<launch::AttemptKey> over;
  for (auto& [key, entry] : attempts_) {
    if (key.job != words.job || (words.attempt && key.attempt > words.attempt)) continue;
    entry.forgotten = true;
    entry.waits = false;
    facts_.forget(key);
    gpus_.forget(key);
    if (entry.stage == Stage::Up)
      outside_.launcher().tell(
          key, launch::Finish{words.why.empty() ? "not wanted any more" : words.why});
    if (entry.stage == Stage::Authorising) entry.stage = Stage::Over;
    over.push_back(key);
  }
  for (const auto& key : over) drop_if_done(key);
}

void Core::on_signal(const HostSignal& words) {
  outside_.launcher().tell({words.job, words.attempt}, launch::SignalTasks{{}, words.signal});
}

void Core::on_agent_order(const AgentOrder& order) {
  auto at = attempts_.find({order.job, order.attempt});
  if (at == attempts_.end()) return;
  auto whole = elastic::completed(order, at->second.agent_order);
  if (!whole) return;  // of a session before: everything is told again
  at->second.agent_order = *whole;
  outside_.tell_agent(at->first, *whole);
}

void Core::on_peek(const PeekRequest& request) {
  auto at = attempts_.find({request.job, request.attempt});
  if (at == attempts_.end() || !at->second.account)
    return reply_peek(request.id,
                      fail(Code::NotFound, "job " + to_string(request.job) + " does not run here"));
  const auto& order = at->second.order;
  OrderedTask wanted;
  wanted.task = request.task;
  auto task = launch::plan_task(order, host_, wanted);
  const auto& files = request.stream == 2 ? task.err : task.out;
  if (files.empty()) return reply_peek(request.id, launch::FileRead{});
  launch::ReadFile read{*at->second.account, order.resolved.program.cwd, files.front(),
                        static_cast<std::int64_t>(request.offset), request.limit};
  outside_.launcher().read(read, [this, id = request.id](Result<launch::FileRead> done) {
    if (done && !done->trouble.empty()) return reply_peek(id, fail(Code::System, done->trouble));
    reply_peek(id, done);
  });
}

void Core::reply_peek(std::uint64_t id, const Result<launch::FileRead>& read) {
  PeekReply reply{id, read ? read->bytes : "", read ? "" : read.error().text};
  outside_.send(NodeVerb::PeekReply, codec::encode(reply));
}

}  // namespace wm::node
