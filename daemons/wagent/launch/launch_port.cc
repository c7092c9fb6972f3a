#include "daemons/wagent/launch/launch_port.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/model/node/ranks.h"

namespace wm::wagent {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};
/// For reading how it ended, before the link is closed from here.
constexpr std::chrono::seconds kLinger{10};

bool is_last(const wire::Frame& frame) {
  if (frame.type != kFromLaunch) return false;
  auto words = codec::decode<FromLaunch>(frame.payload);
  return words && std::holds_alternative<LaunchEnded>(*words);
}

}  // namespace

LaunchPort::LaunchPort(boost::asio::io_context& loop, const Settings& settings,
                       const PartSettings& part)
    : loop_(loop),
      part_(part),
      doors_(loop, settings, part),
      consoles_(loop,
                [this](Consoles::Viewer viewer, const FromLaunch& words) { say(viewer, words); }),
      idle_timer_(loop) {}

LaunchPort::~LaunchPort() = default;

Result<AgentDoors> LaunchPort::listen() {
  return doors_.open([this](auto link) { admit(std::move(link)); });
}

void LaunchPort::open_consoles() {
  if (part_.console_socket.empty() || std::exchange(consoles_open_, true)) return;
  auto open = consoles_.listen(part_.console_socket);
  if (!open) log::warn("consoles_closed", {{"reason", open.error().text}});
}

void LaunchPort::admit(std::unique_ptr<wire::Link> link) {
  auto number = next_++;
  auto& guest = guests_[number];
  guest.link = std::move(link);
  guest.link->start([this, number](const wire::Frame& frame) { on_frame(number, frame); },
                    [this, number](const Error&) { on_closed(number); });
}

void LaunchPort::on_frame(Number number, const wire::Frame& frame) {
  auto at = guests_.find(number);
  if (at == guests_.end() || at->second.done) return;
  auto& guest = at->second;
  bool fresh = !guest.relay && !guest.command && !guest.visit && !guest.console && !guest.asks;
  if (frame.type == kRankWords && fresh && on_rank_link_) {
    auto link = std::move(guest.link);
    guests_.erase(at);
    return on_rank_link_(std::move(link), frame);
  }
  if (frame.type != kToLaunch) return;
  if (guest.relay) return guest.relay->send(frame);
  if (guest.asks) return;
  if (fresh) return on_first(number, frame);
  auto words = codec::decode<ToLaunch>(frame.payload);
  if (!words) return on_closed(number);
  if (guest.command) guest.command->on(*words);
  else if (guest.visit) guest.visit->on(*words);
  else consoles_.on(number, *words);
}

void LaunchPort::on_first(Number number, const wire::Frame& frame) {
  auto words = codec::decode<ToLaunch>(frame.payload);
  if (!words) return refuse(number, words.error().text);
  if (auto* attach = std::get_if<LaunchAttach>(&*words)) {
    guests_[number].console = true;
    return consoles_.attach(number, *attach);
  }
  if (auto* to = std::get_if<LaunchConnect>(&*words)) return connect(number, *to);
  if (auto* ask = std::get_if<LaunchAsk>(&*words)) {
    guests_[number].asks = ask->group;
    return tell_slots(number);
  }
  auto* what = std::get_if<LaunchStart>(&*words);
  if (what == nullptr) return refuse(number, "nothing was started on this connection");
  if (on_idle_) return refuse(number, "the job is ending");
  bool here = what->group.empty() && (what->host.empty() || what->host == part_.host);
  if (here) start(number, *what);
  else start_elsewhere(number, std::move(*what));
}

void LaunchPort::start(Number number, const LaunchStart& words) {
  Command::Handlers handlers{[this, number](const FromLaunch& w) { say(number, w); },
                             [this, number] { finish(number); }};
  auto command = Command::start(loop_, words, part_, std::move(handlers));
  if (!command) return refuse(number, command.error().text);
  guests_[number].command = std::move(*command);
}

void LaunchPort::connect(Number number, const LaunchConnect& words) {
  auto visit = Visit::start(loop_, words, [this, number](const FromLaunch& w) { say(number, w); });
  if (!visit) return refuse(number, visit.error().text);
  guests_[number].visit = std::move(*visit);
}

void LaunchPort::start_elsewhere(Number number, LaunchStart words) {
  Relay::Handlers handlers{[this, number](const wire::Frame& back) {
                             auto at = guests_.find(number);
                             if (at == guests_.end() || !at->second.link) return;
                             (void)at->second.link->send(back.type, back.payload);
                             if (is_last(back)) finish(number);
                           },
                           [this, number](const std::string& why) { refuse(number, why); }};
  auto& guest = guests_[number];
  Relay::Target target{words.host, std::exchange(words.group, {})};  // there it is the own one
  guest.relay =
      std::make_unique<Relay>(loop_, doors_.transport(), std::move(target), std::move(handlers));
  guest.relay->send({kToLaunch, codec::encode(ToLaunch{std::move(words)})});
  look_up(number);
}

/// Tells a relay where its host's agent is, as soon as that is known.
void LaunchPort::look_up(Number number) {
  auto& guest = guests_[number];
  if (!order_ || !guest.relay) return;
  const auto& target = guest.relay->target();
  auto at = agent_at(*order_, target.group, target.host);
  if (!at) return refuse(number, at.error().text);
  auto options = doors_.link_to(*at);
  if (!options) return refuse(number, options.error().text);
  guest.relay->found(at->launch, *options);
}

void LaunchPort::tell_slots(Number number) {
  auto& guest = guests_[number];
  if (!order_ || !guest.asks) return;
  auto slots = slots_of(*order_, *std::exchange(guest.asks, {}));
  if (!slots) return refuse(number, slots.error().text);
  say(number, LaunchPlaces{*std::move(slots)});
  finish(number);
}

void LaunchPort::on_order(const AgentOrder& order) {
  order_ = order;
  if (on_order_) on_order_(order);
  std::vector<Number> waiting;
  for (const auto& [number, guest] : guests_)
    if (guest.relay || guest.asks) waiting.push_back(number);
  for (auto number : waiting) {
    look_up(number);
    tell_slots(number);
  }
}

void LaunchPort::say(Number number, const FromLaunch& words) {
  auto at = guests_.find(number);
  if (at == guests_.end() || !at->second.link || at->second.done) return;
  (void)at->second.link->send(kFromLaunch, codec::encode(words));
  bool last = std::holds_alternative<LaunchEnded>(words);
  if (last && !at->second.command) finish(number);  // a command is reaped first
}

void LaunchPort::refuse(Number number, const std::string& why) {
  say(number, LaunchEnded{0, true, why});
}

/// Everything was said. What it was about goes when no handler of it is running.
void LaunchPort::finish(Number number) {
  auto& guest = guests_[number];
  guest.done = true;
  boost::asio::post(loop_, [this, number] {
    auto at = guests_.find(number);
    if (at == guests_.end()) return;
    at->second.command.reset();
    at->second.relay.reset();
    at->second.visit.reset();
    if (!at->second.link) return forget(number);
    expire(number);
  });
}

void LaunchPort::expire(Number number) {
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, kLinger);
  timer->async_wait([this, number, timer](const auto&) { forget(number); });
}

void LaunchPort::on_closed(Number number) {
  auto at = guests_.find(number);
  if (at == guests_.end()) return;
  if (at->second.command && !at->second.done) {
    boost::asio::post(loop_, [old = std::shared_ptr(std::move(at->second.link))] {});
    return at->second.command->hang_up();
  }
  if (at->second.console) consoles_.leave(number);
  boost::asio::post(loop_, [this, number] { forget(number); });
}

void LaunchPort::forget(Number number) {
  auto at = guests_.find(number);
  if (at == guests_.end()) return;
  if (at->second.link) at->second.link->close();
  if (at->second.console) consoles_.leave(number);
  guests_.erase(at);
}

void LaunchPort::end(std::function<void()> on_idle) {
  on_idle_ = std::move(on_idle);
  consoles_.end();
  for (auto& [number, guest] : guests_)
    if (guest.command) guest.command->kill();
  wait_until_idle();
}

bool LaunchPort::is_idle() const {
  return consoles_.idle() && std::none_of(guests_.begin(), guests_.end(), [](const auto& g) {
           return g.second.command || g.second.console || g.second.done;
         });
}

void LaunchPort::wait_until_idle() {
  if (is_idle()) return boost::asio::post(loop_, on_idle_);
  idle_timer_.expires_after(kBetweenLooks);
  idle_timer_.async_wait([this](const auto& error) {
    if (!error) wait_until_idle();
  });
}

}  // namespace wm::wagent
