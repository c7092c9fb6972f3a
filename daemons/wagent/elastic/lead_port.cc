// wire::Transport does the work; here is only who is connected to whom.
#include "daemons/wagent/elastic/lead_port.h"

#include <boost/asio/post.hpp>

#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::wagent {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{500};
constexpr std::chrono::milliseconds kHello{1000};
constexpr std::uint16_t kWords = wire::kFirstUserType;
constexpr std::size_t kFrameLimit = 1 << 20;

wire::LinkOptions link_options(const wire::SharedKey& key) {
  wire::LinkOptions options;
  options.session.role = wire::Role::Agent;
  options.session.method = wire::Method::SharedKey;
  options.session.peers = {{wire::Role::Agent, std::nullopt}};
  options.session.frame_limit = kFrameLimit;
  options.credentials = wire::shared_key_credentials(key);
  options.hello_timeout = kHello;
  return options;
}

}  // namespace

LeadPort::LeadPort(boost::asio::io_context& loop, const wire::SharedKey& key, Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      options_(link_options(key)),
      transport_(loop, 1),
      timer_(loop),
      tries_(kFirstPause, kLongestPause, random_number()) {}

LeadPort::~LeadPort() = default;

Result<std::string> LeadPort::listen(const std::string& address) {
  wire::Endpoint at;
  at.host = address;
  wire::ListenOptions options;
  options.link = options_;
  WM_TRY(listener_,
         transport_.listen(at, std::move(options), [this](auto link) { admit(std::move(link)); }));
  return wire::to_string(listener_->endpoint());
}

void LeadPort::admit(std::unique_ptr<wire::Link> link) {
  auto number = next_follower_++;
  auto& follower = followers_[number];
  follower.link = std::move(link);
  follower.link->start([this, number](wire::Frame frame) { take(number, frame); },
                       [this, number](const Error&) { followers_.erase(number); });
}

void LeadPort::take(std::uint64_t number, const wire::Frame& frame) {
  auto words = codec::decode<AgentToLead>(frame.payload);
  auto& follower = followers_.at(number);
  if (!words) {
    log::warn("agent_words_damaged", {{"peer", follower.link->address()}});
    followers_.erase(number);
    return;
  }
  if (auto* status = std::get_if<AgentStatus>(&*words)) {
    follower.host = status->host;
    std::erase_if(followers_,
                  [&](const auto& f) { return f.second.host == status->host && f.first < number; });
  }
  if (follower.host) handlers_.on_agent({follower.host, std::move(*words)});
}

void LeadPort::send_agent(HostId host, const LeadToAgent& words) {
  for (auto& [number, follower] : followers_) {
    if (follower.host != host) continue;
    (void)follower.link->send(kWords, codec::encode(words));  // a lost link reports itself
  }
}

void LeadPort::drop(HostId host) {
  boost::asio::post(loop_, [this, host] {
    std::erase_if(followers_, [&](const auto& f) { return f.second.host == host; });
  });
}

void LeadPort::follow(const std::string& address) {
  lead_address_ = address;
  lead_.reset();
  dialing_.reset();
  timer_.cancel();
  if (!address.empty()) dial();
}

void LeadPort::dial() {
  auto to = wire::parse_endpoint(lead_address_);
  if (!to) return log::warn("lead_address_bad", {{"reason", to.error().text}});
  wire::DialOptions options;
  options.link = options_;
  dialing_ = transport_.dial(*to, std::move(options), [this](auto link) {
    if (link) return take_up(std::move(*link));
    retry();
  });
}

void LeadPort::take_up(std::unique_ptr<wire::Link> link) {
  lead_ = std::move(link);
  tries_.reset();
  lead_spoke_ = steady_now();
  lead_->start(
      [this](const wire::Frame& frame) {
        lead_spoke_ = steady_now();
        auto words = codec::decode<LeadToAgent>(frame.payload);
        if (words) handlers_.on_lead(*words);
      },
      [this](const Error&) {
        lead_.reset();
        retry();
      });
  watch_silence();
  handlers_.on_lead_up();
}

void LeadPort::watch_silence() {
  timer_.expires_after(kLinkSilence / 3);
  timer_.async_wait([this](const auto& error) {
    if (error || !lead_) return;
    if (steady_now() - lead_spoke_ < kLinkSilence) return watch_silence();
    log::info("lead_link_silent", {{"lead", lead_address_}});
    lead_.reset();
    retry();
  });
}

void LeadPort::retry() {
  timer_.expires_after(tries_.next());
  timer_.async_wait([this](const auto& error) {
    if (!error && !lead_address_.empty()) dial();
  });
}

void LeadPort::send_lead(const AgentToLead& words) {
  if (lead_) (void)lead_->send(kWords, codec::encode(words));
}

}  // namespace wm::wagent
