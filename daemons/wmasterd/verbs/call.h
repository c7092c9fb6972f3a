// Role: one request on its way: who asked, what role the verb requires, and how to answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemons/wmasterd/verbs/rights.h"
#include "libwm/codec/codec.h"
#include "libwm/env/env.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::master {

/// "Job <12[3]>". @cost O(1)
inline std::string named(JobId id) { return "Job <" + to_string(id) + ">"; }

/// A wm::Code as it travels.
constexpr std::uint8_t code_of(Code code) { return static_cast<std::uint8_t>(code); }

/// What a frame takes, with room for its own words. @units bytes
inline constexpr std::size_t kLargestReply = 15 << 20;

/// Who asks: the account, and the proof of the session, which may have signed a specification.
struct Caller {
  Identity who;
  std::string credential;   ///< empty: none was seen (simulation)
  std::string also_signed;  ///< what it signs besides the session; empty: nothing
};

/// @thread the loop's, unless it says otherwise
class Call {
 public:
  Call(Peers& peers, PeerId peer, Verb verb, May may, Caller caller)
      : peers_(&peers), peer_(peer), verb_(verb), may_(may), caller_(std::move(caller)) {}
  const Identity& caller() const { return caller_.who; }
  /// Whom the verb serves.
  May may() const { return may_; }
  /// The session's credential, when it signs exactly `digest` as well.
  std::string session_credential(const std::string& digest) const {
    return caller_.also_signed == digest ? caller_.credential : "";
  }
  /// What is asked.
  Verb verb() const { return verb_; }
  PeerId peer() const { return peer_; }
  /// Sends a reply struct, or the error as a VerbError.
  template <class Reply>
  void reply(const Reply& value) const {
    send(encoded(value));
  }
  /// The bytes that reply() would send. @errors Limit   @thread any
  template <class Reply>
  static Result<std::string> encoded(const Reply& value);
  /// Sends them, or the error.
  void send(Result<std::string> bytes) const;
  void refuse(const Error& error) const;
  /// A request key as the caller's own: others who send the same bytes mean another request.
  /// @shape 4 bytes of the uid, little-endian, then the key
  std::string own_key(const std::string& key) const;
  /// The frame that reply() would send, for keeping under the request key.
  template <class Reply>
  KeptReply kept(const std::string& key, const Reply& value) const;
  void resend(const std::string& kept) const;

 private:
  Peers* peers_;
  PeerId peer_;
  Verb verb_;
  May may_;
  Caller caller_;
};

// A client that gets no answer asks again, for ever.
template <class Reply>
Result<std::string> Call::encoded(const Reply& value) {
  auto bytes = codec::encode(value);
  if (bytes.size() <= kLargestReply) return bytes;
  return fail(Code::Limit, "the answer has " + std::to_string(bytes.size()) + " bytes; at most " +
                               std::to_string(kLargestReply) +
                               " can be sent: ask for fewer at once");
}

template <class Reply>
KeptReply Call::kept(const std::string& key, const Reply& value) const {
  auto verb = static_cast<std::uint16_t>(verb_);
  std::string frame{static_cast<char>(verb & 0xff), static_cast<char>(verb >> 8)};
  return {own_key(key), frame + codec::encode(value)};
}

}  // namespace wm::master
