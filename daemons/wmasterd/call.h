// Role: the templates of Call, for the files that answer requests.
#pragma once

#include "daemons/wmasterd/clients.h"
#include "libwm/codec/codec.h"

namespace wm::master {

template <class Reply>
void Call::reply(const Reply& value) const {
  world_->send(peer_, static_cast<std::uint16_t>(verb_), codec::encode(value));
}

template <class Reply>
KeptReply Call::kept(const std::string& key, const Reply& value) const {
  auto verb = static_cast<std::uint16_t>(verb_);
  std::string frame{static_cast<char>(verb & 0xff), static_cast<char>(verb >> 8)};
  return {key, frame + codec::encode(value)};
}

}  // namespace wm::master
