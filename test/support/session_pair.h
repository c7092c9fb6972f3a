// Role: one end of a session with its identity service, driven without sockets: what it would
// write, deliver, and how it ends are collected for assertions. Used by test/unit/wire.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/wire/session.h"

namespace wm::test {

/// The users that a command and the master run as.
constexpr std::uint32_t kAlice = 1001, kMaster = 990;

/// A session plus the obedient owner that every session needs.
class SessionEnd {
 public:
  SessionEnd(wire::SessionOptions options, std::shared_ptr<wire::Credentials> credentials,
             std::uint8_t seed);

  /// The initiator's first words go to take_written().
  void start() { obey(session.start()); }
  /// As if `bytes` had come from the peer.
  void feed(std::string_view bytes) { obey(session.on_bytes(bytes)); }
  /// Seals a frame into what take_written() returns.
  void send(std::uint16_t type, std::string payload);
  /// Bytes for the peer since the last call.
  std::string take_written() { return std::exchange(written, {}); }

  wire::Session session;
  std::string also_sign;  ///< what its proof signs besides
  std::string written;
  std::vector<wire::Frame> delivered;
  std::optional<wire::Identity> peer;
  wire::PeerProof proof;
  std::optional<Error> failed;
  int checks = 0;  ///< credentials shown to the identity service

 private:
  void obey(wire::SessionActions actions);
  void answer(const wire::SessionAction& action);
  std::shared_ptr<wire::Credentials> credentials_;
};

/// Two ends and everything that was said, by direction.
struct Conversation {
  SessionEnd initiator;
  SessionEnd acceptor;
  std::string to_acceptor;
  std::string to_initiator;

  /// Carries bytes both ways until both are silent.
  void settle();
};

/// A command of user `uid` and a master that runs as `master_uid`, not yet started.
Conversation client_and_master(const std::shared_ptr<wire::Credentials>& client,
                               const std::shared_ptr<wire::Credentials>& master,
                               std::uint32_t master_uid);

/// What a command asks of its session with the master.
wire::SessionOptions client_options(std::uint32_t master_uid);
/// What the master asks: any user as client, `host_uid` as host.
wire::SessionOptions master_options(std::uint32_t host_uid);

}  // namespace wm::test
