#include "daemons/wagent/launch/relay.h"

#include "libwm/base/clock.h"
#include "libwm/base/hash.h"

namespace wm::wagent {
namespace {

/// The other host may still be starting its part of the job.
constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::milliseconds kFirstPause{50}, kLongestPause{500};

}  // namespace

Relay::Relay(boost::asio::io_context& loop, wire::Transport& transport, Target target,
             Handlers handlers)
    : transport_(transport),
      target_(std::move(target)),
      handlers_(std::move(handlers)),
      timer_(loop),
      tries_(kFirstPause, kLongestPause, random_number()),
      until_(steady_now() + kPatience) {
  timer_.expires_at(until_);
  timer_.async_wait([self = std::weak_ptr(self_)](const auto& error) {
    auto at = self.lock();
    if (!at || error) return;
    (*at)->handlers_.fail("the job's part on host " + (*at)->target_.host +
                          " has not come up in 30 s");
  });
}

void Relay::send(const wire::Frame& frame) {
  if (link_) (void)link_->send(frame.type, frame.payload);  // a lost link reports itself
  else waiting_.push_back(frame);
}

void Relay::found(const std::string& address, const wire::LinkOptions& options) {
  if (address.empty() || link_) return;
  bool first = address_.empty();
  address_ = address;
  options_ = options;
  if (!first) return;  // the next try goes there
  timer_.cancel();
  dial();
}

void Relay::dial() {
  auto to = wire::parse_endpoint(address_);
  if (!to) return handlers_.fail(to.error().text);
  wire::DialOptions options;
  options.link = options_;
  dialing_ = transport_.dial(*to, std::move(options), [this](auto link) {
    if (link) take_up(std::move(*link));
    else retry(link.error());
  });
}

void Relay::retry(const Error& error) {
  bool comes_up = error.code == Code::Unavailable || error.code == Code::Refused;
  if (steady_now() > until_ || !comes_up)
    return handlers_.fail("host " + target_.host + ": " + error.text);
  timer_.expires_after(tries_.next());
  timer_.async_wait([self = std::weak_ptr(self_)](const auto& stopped) {
    if (auto at = self.lock(); at && !stopped) (*at)->dial();
  });
}

void Relay::take_up(std::unique_ptr<wire::Link> link) {
  link_ = std::move(link);
  for (const auto& frame : waiting_) (void)link_->send(frame.type, frame.payload);
  waiting_.clear();
  link_->start([this](const wire::Frame& frame) { handlers_.pass(frame); },
               [this](const Error& error) {
                 handlers_.fail("host " + target_.host + ": connection lost: " + error.text);
               });
}

}  // namespace wm::wagent
