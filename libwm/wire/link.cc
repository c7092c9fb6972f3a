// Role: Link, the rim's hold on a Channel: closing it closes the channel.
#include "libwm/wire/channel.h"

namespace wm::wire {

Link::Link(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
Link::~Link() { channel_->close(); }

void Link::start(OnFrame on_frame, OnClosed on_closed) {
  channel_->start(std::move(on_frame), std::move(on_closed));
}

Result<void> Link::send(std::uint16_t type, std::string payload) {
  return channel_->send(type, std::move(payload));
}

void Link::read_no_more() { channel_->pause(true); }
void Link::read_on() { channel_->pause(false); }
void Link::close() { channel_->close(); }
const Identity& Link::identity() const { return channel_->identity(); }
const PeerProof& Link::proof() const { return channel_->proof(); }
const std::string& Link::address() const { return channel_->address(); }
std::size_t Link::outbound_bytes() const { return channel_->outbound_bytes(); }

}  // namespace wm::wire
