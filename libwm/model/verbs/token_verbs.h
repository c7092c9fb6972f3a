// Role: what doors ask and tell of the web door's tokens: which are revoked, and what happened
// there (log-ons, keys) for the record of acts. Values only, as in verbs.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/revocations.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Users: of their own; administrators: of anybody. One token (`id`), or all of a user's that were
/// issued until now. Errors: BadArgument: neither; Denied.
struct RevokeRequest {
  using Reply = struct RevokeReply;
  static constexpr Verb kVerb = Verb::Revoke;
  std::string request_key;
  std::string user, id;
  WallTime until{};  ///< when that token ends; 0: it is not known
  std::string why;
  bool log_off = false;  ///< its owner is done with it
  bool operator==(const RevokeRequest&) const = default;
};
struct RevokeReply {
  bool operator==(const RevokeReply&) const = default;
};

/// Anyone: an id that is revoked opens nothing. Answered as soon as what is revoked is not that of
/// `known` any more, or when patience ends. Errors: Limit as Watch.
struct RevokedRequest {
  using Reply = struct RevokedReply;
  static constexpr Verb kVerb = Verb::Revoked;
  Seq known;            ///< Revocations::changed that is known
  bool at_once = true;  ///< nothing is known yet
  Duration patience{};
  bool operator==(const RevokedRequest&) const = default;
};
struct RevokedReply {
  Revocations revoked;
  bool operator==(const RevokedReply&) const = default;
};

/// Something that happened at the web door.
struct DoorAct {
  WallTime at{};     ///< counts where an administrator tells it; 0: now
  std::string act;   ///< "logon", "limited", "token-key", "key-create", "key-revoke"
  std::string user;  ///< who, or whom somebody said to be
  std::vector<std::string> objects;  ///< "from 10.1.2.3", "token 4f…", the name of a key
  std::string outcome;               ///< empty: done; else why it was refused
  bool operator==(const DoorAct&) const = default;
};
/// Administrators, as which wlogind comes: any; users: about keys of their own. Kept in the record
/// of acts (AuditEntry). Errors: BadArgument: an act that is not known; Limit: 100 acts, 300 bytes.
struct NoteRequest {
  using Reply = struct NoteReply;
  static constexpr Verb kVerb = Verb::Note;
  std::string request_key;
  std::vector<DoorAct> acts;
  bool operator==(const NoteRequest&) const = default;
};
struct NoteReply {
  bool operator==(const NoteReply&) const = default;
};

}  // namespace wm
