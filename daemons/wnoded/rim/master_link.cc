#include "daemons/wnoded/rim/master_link.h"

#include "libwm/base/hash.h"
#include "libwm/base/log.h"

namespace wm::node {
namespace {

using std::chrono::milliseconds;

constexpr Duration kFirstPause = milliseconds(50);
constexpr Duration kLongestPause = milliseconds(1500);
constexpr Duration kPauseAfterRefusal = milliseconds(5000);  // a person has to change something

}  // namespace

MasterLink::MasterLink(boost::asio::io_context& loop, wire::Transport& transport,
                       wire::Endpoint master, wire::DialOptions options, Handlers handlers)
    : transport_(transport),
      master_(std::move(master)),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      timer_(loop),
      pauses_(kFirstPause, kLongestPause, random_number()),
      refusals_(kPauseAfterRefusal, kPauseAfterRefusal, random_number()) {}

void MasterLink::send(std::uint16_t type, std::string payload) {
  if (!link_) return;
  if (auto sent = link_->send(type, std::move(payload)); !sent)
    log::warn("frame_not_sent", {{"type", type}, {"why", sent.error().text}});
}

void MasterLink::give_up() {
  if (!link_) return;  // it is being dialled already
  link_.reset();
  handlers_.on_lost(false);
  refused_ = true;
  dial_after(refusals_.next());
}

void MasterLink::dial() {
  dialing_ = transport_.dial(master_, options_, [this](auto link) { on_dialled(std::move(link)); });
}

void MasterLink::on_dialled(Result<std::unique_ptr<wire::Link>> link) {
  dialing_.reset();
  if (!link) return on_closed(link.error());
  link_ = *std::move(link);
  link_->start(
      [this](wire::Frame frame) {
        pauses_.reset();  // it speaks to us: the next loss is tried again at once
        refused_ = false;
        handlers_.on_frame(frame.type, frame.payload);
      },
      [this](const Error& error) { on_closed(error); });
  // Those that end in the same refusal again are told once.
  log::write(refused_ ? log::Level::Debug : log::Level::Info, "master_session",
             {{"address", link_->address()}});
  handlers_.on_open();
}

void MasterLink::on_closed(const Error& error) {
  log::warn("no_master", {{"master", wire::to_string(master_)}, {"why", error.text}});
  link_.reset();
  handlers_.on_lost(error.code == Code::Refused);
  dial_after(pauses_.next());
}

void MasterLink::dial_after(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](auto ec) {
    if (!ec) dial();
  });
}

}  // namespace wm::node
