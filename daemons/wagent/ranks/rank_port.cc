#include "daemons/wagent/ranks/rank_port.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "daemons/wagent/ranks/rank_defaults.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/topology.h"

namespace wm::wagent {
namespace {

/// The answer to a question that no host of the job can answer.
constexpr std::int32_t kNotFound = -46;  // PMIX_ERR_NOT_FOUND

/// An agent of another host that has not called by then never will.
constexpr std::chrono::seconds kPatience{20};

/// Words about output; all others are somebody else's.
struct ForOutput {
  TaggedOutput& output;
  void operator()(const RankOutput& words) const { output.on(words); }
  void operator()(const RankTaken& words) const { output.on(words); }
  void operator()(const RankSilent& words) const { output.on(words); }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

RankPort::RankPort(boost::asio::io_context& loop, wire::Transport& transport,
                   wire::LinkOptions by_key, const Settings& settings)
    : loop_(loop),
      transport_(transport),
      by_key_(std::move(by_key)),
      settings_(settings),
      patience_(loop),
      reception_(loop, [this](Fd caller) { return hear_rank(std::move(caller)); }) {}

Result<void> RankPort::start(const RankSettings& settings, OnBroken on_broken) {
  WM_TRY(map_, ranks::parse_rank_map(settings.hosts));
  here_ = map_.place_of(settings.host);
  if (here_ == map_.hosts.size())
    return fail(Code::BadArgument, "host " + settings.host + " has no ranks");
  on_broken_ = std::move(on_broken);
  tree_.count = static_cast<std::uint32_t>(map_.hosts.size());
  table_.emplace(map_, here_, tree_);
  defaults_ = rank_defaults(look_at_host(), map_.hosts[here_].ranks);
  if (settings.tag)
    tagged_.emplace(
        loop_, here_ == 0 ? 1 : -1, here_ == 0 ? settings.tag_err : -1,
        TaggedOutput::Handlers{[this](const RankWords& words) { send(tree_.parent(here_), words); },
                               [this](std::uint32_t rank, const RankWords& words) {
                                 auto place = map_.place_of(rank);
                                 if (place == here_) return;  // one that never called
                                 send_towards(place, words);
                               }});
  make_server(settings.socket + ".d");
  return reception_.listen(settings.socket);
}

void RankPort::make_server(const std::string& folder) {
  PmixPlan plan;
  plan.name = "wm." + to_string(launch::AttemptKey{settings_.job, settings_.attempt});
  plan.map = map_;
  plan.here = here_;
  plan.folder = folder;
  if (auto xml = proc::topology_xml()) plan.topology = *xml;
  auto server = PmixServer::start(loop_, plan, handlers());
  if (server) {
    server_ = std::move(*server);
  } else {
    trouble_ = server.error().text;
    log::warn("no_pmix", {{"reason", trouble_}});
  }
}

PmixServer::Handlers RankPort::handlers() {
  PmixServer::Handlers calls;
  calls.on_connected = [this](auto rank) { table_->connected(rank); };
  calls.on_finalized = [this](auto rank) { table_->finalized(rank); };
  calls.on_fence = [this](auto ranks, auto ticket, std::string bytes) {
    carry_out(table_->arrive(ranks, ticket, std::move(bytes)));
  };
  calls.on_meeting = [this](auto ranks, auto ticket, auto kind) {
    carry_out(table_->arrive(ranks, ticket, {}, kind));
  };
  calls.on_names = [this](NameAsk ask, auto ticket) {
    ask.from = here_;
    ask.number = next_ask_++;
    asked_[ask.number] = ticket;
    on_names(ask);
  };
  calls.on_modex = [this](auto rank, auto ticket) {
    asked_[next_ask_] = ticket;
    on_ask({here_, next_ask_++, rank});
  };
  calls.on_abort = [](auto rank, auto status, const std::string& text) {
    log::info("rank_aborts", {{"rank", rank}, {"status", status}, {"why", text}});
  };
  return calls;
}

Reception::OnLoop RankPort::hear_rank(Fd caller) {
  auto fd = std::make_shared<Fd>(std::move(caller));
  auto arrival = std::make_shared<Result<proc::RankArrival>>(proc::receive_rank_call(fd->get()));
  return [this, fd, arrival] { answer(fd->get(), std::move(*arrival)); };
}

void RankPort::answer(int fd, Result<proc::RankArrival> arrival) {
  if (!arrival) return log::warn("rank_refused", {{"reason", arrival.error().text}});
  const auto& call = arrival->call;
  if (tagged_ && arrival->out && arrival->err)
    tagged_->serve(call.rank, {false, {}, std::move(arrival->out), std::move(arrival->err)},
                   std::move(arrival->hold));
  (void)proc::answer_rank_call(fd, answer_for(call));  // one that is gone needs none
}

proc::RankAnswer RankPort::answer_for(const proc::RankCall& call) {
  proc::RankAnswer answer{trouble_, {}, defaults_};
  if (!server_) return answer;
  tasks_[call.task] = Rank{call.rank, false};
  auto env = server_->environment_of(call.rank);
  if (env) answer.set = std::move(*env);
  else answer.trouble = env.error().text;
  return answer;
}

void RankPort::on_gone(TaskNumber task) {
  auto at = tasks_.find(task);
  if (at == tasks_.end() || std::exchange(at->second.ended, true)) return;
  carry_out(table_->ended(at->second.number));
}

void RankPort::end(std::function<void()> on_idle) {
  if (!tagged_) return boost::asio::post(loop_, std::move(on_idle));
  std::set<std::uint32_t> all, called;
  for (const auto& [task, rank] : tasks_) called.insert(rank.number);
  for (std::uint32_t rank = 0; rank < map_.size(); ++rank) {
    all.insert(rank);
    if (map_.place_of(rank) == here_ && !called.contains(rank)) tagged_->lose(rank, 1);
  }
  tagged_->end(std::move(all), std::move(on_idle));
  if (here_ == 0) wait_for_output();
}

/// Hosts without an agent so far have nothing to say; the others say when they are done.
void RankPort::wait_for_output() {
  patience_.expires_after(kPatience);
  patience_.async_wait([this](const auto& error) {
    if (error) return;
    for (auto child : tree_.children(here_))
      if (!below_.contains(child)) lose(child);
  });
}

// ---- other agents ----------------------------------------------------------------------

void RankPort::dial_up() {
  const auto& host = map_.hosts[tree_.parent(here_)].name;
  Relay::Handlers handlers{[this](const wire::Frame& frame) { hear(tree_.parent(here_), frame); },
                           [this](const std::string& why) {
                             log::info("rank_link_lost", {{"why", why}});
                             boost::asio::post(loop_, [this] {
                               carry_out(table_->cut_off());
                               if (tagged_) tagged_->cut_off();
                             });
                           }};
  above_ = std::make_unique<Relay>(loop_, transport_, Relay::Target{host, ""}, std::move(handlers));
  above_->send({kRankWords, codec::encode(RankWords{RankHello{here_}})});
}

void RankPort::on_order(const AgentOrder& order) {
  if (here_ == 0) return;
  if (!above_) dial_up();
  for (const auto& place : order.agents)
    if (place.name == above_->target().host) above_->found(place.launch, by_key_);
}

void RankPort::admit(std::unique_ptr<wire::Link> link, const wire::Frame& first) {
  auto words = codec::decode<RankWords>(first.payload);
  auto* hello = words ? std::get_if<RankHello>(&*words) : nullptr;
  if (hello == nullptr || hello->place >= tree_.count || tree_.parent(hello->place) != here_)
    return link->close();
  auto from = hello->place;
  link->start([this, from](const wire::Frame& frame) { hear(from, frame); },
              [this, from](const Error& error) {
                log::info("rank_link_lost", {{"host", map_.hosts[from].name}, {"why", error.text}});
                boost::asio::post(loop_, [this, from] { lose(from); });
              });
  below_[from] = std::move(link);
  for (const auto& waits : std::exchange(unsent_[from], {})) send(from, waits);
}

/// What was below this place is out of reach.
void RankPort::lose(std::uint32_t from) {
  below_.erase(from);
  carry_out(table_->cut_off());
  if (!tagged_) return;
  for (std::uint32_t place = 0; place < tree_.count; ++place)
    if (tree_.is_below(place, from))
      tagged_->lose(map_.hosts[place].first, map_.hosts[place].ranks);
}

void RankPort::hear(std::uint32_t from, const wire::Frame& frame) {
  auto words = codec::decode<RankWords>(frame.payload);
  if (!words || frame.type != kRankWords) return;
  if (auto* part = std::get_if<FencePart>(&*words)) carry_out(table_->on(*part));
  else if (auto* done = std::get_if<FenceDone>(&*words)) carry_out(table_->on(*done));
  else if (auto* left = std::get_if<RankLeft>(&*words)) carry_out(table_->on(*left));
  else if (auto* broken = std::get_if<RanksBroken>(&*words)) carry_out(table_->on(*broken, from));
  else if (auto* ask = std::get_if<ModexAsk>(&*words)) on_ask(*ask);
  else if (auto* answer = std::get_if<ModexAnswer>(&*words)) on_answer(*answer);
  else if (auto* names = std::get_if<NameAsk>(&*words)) on_names(*names);
  else if (auto* found = std::get_if<NameAnswer>(&*words)) on_names(*found);
  else if (tagged_) std::visit(ForOutput{*tagged_}, *words);
}

/// A question: ours or another host's, for us or for another host.
void RankPort::on_ask(const ModexAsk& words) {
  auto place = map_.place_of(words.rank);
  if (place == here_ && server_)
    return server_->fetch(words.rank, [this, words](std::int32_t status, std::string bytes) {
      on_answer({words.from, words.number, status, std::move(bytes)});
    });
  if (place == here_ || place == map_.hosts.size())
    return on_answer({words.from, words.number, kNotFound, {}});
  send_towards(place, words);
}

void RankPort::on_answer(const ModexAnswer& words) {
  if (words.to != here_) return send_towards(words.to, words);
  auto asked = asked_.extract(words.number);
  if (asked && server_) server_->answer_modex(asked.mapped(), words.status, words.bytes);
}

/// Names are kept on the first host.
void RankPort::on_names(const NameAsk& words) {
  if (here_ != 0) return send_towards(0, words);
  for (const auto& answer : names_.on(words)) on_names(answer);
}

void RankPort::on_names(const NameAnswer& words) {
  if (words.to != here_) return send_towards(words.to, words);
  auto asked = asked_.extract(words.number);
  if (asked && server_) server_->answer_names(asked.mapped(), words);
}

void RankPort::send_towards(std::uint32_t place, const RankWords& words) {
  if (place < tree_.count) send(tree_.next_hop(here_, place), words);
}

void RankPort::send(std::uint32_t place, const RankWords& words) {
  if (here_ != 0 && place == tree_.parent(here_)) {
    if (!above_) dial_up();
    return above_->send({kRankWords, codec::encode(words)});
  }
  auto at = below_.find(place);
  if (at == below_.end()) return unsent_[place].push_back(words);
  (void)at->second->send(kRankWords, codec::encode(words));  // a lost link reports itself
}

// ---- the table's wishes ----------------------------------------------------------------

void RankPort::carry_out(const ranks::RankTable::Actions& actions) {
  for (const auto& action : actions) std::visit([this](const auto& a) { act(a); }, action);
}

void RankPort::act(const ranks::RankTable::Complete& action) {
  if (server_) server_->answer_fence(action.ticket, action.ok, action.bytes);
}

void RankPort::act(const ranks::RankTable::Broken& action) {
  log::info("ranks_broken", {{"why", action.why}, {"here", action.here}});
  auto waits = std::find_if(tasks_.begin(), tasks_.end(),
                            [](const auto& entry) { return !entry.second.ended; });
  if (waits != tasks_.end()) on_broken_(waits->first, action.why);
}

}  // namespace wm::wagent
