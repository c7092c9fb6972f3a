// Role: the submitter's signature over a job specification. It travels and is stored with the
// specification, so that every host can check who asked for what, however it came there.
// Made by commands, checked by the master at submit and by hosts before they start a job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/wire/credentials.h"

namespace wm::wire {

/// Does a credential's payload sign this digest: is it that, or a session's proof that was made to
/// sign it as well, which has 32 bytes of its own in front? @cost O(1)
bool signs(std::string_view payload, std::string_view digest);

/// What is signed: BLAKE2b-256(spec ‖ request_key).
/// @shape request_key: 16 bytes, so that the two parts cannot run into each other
/// @cost O(spec)
std::string spec_digest(std::string_view spec, std::string_view request_key);

/// A credential over it, as the calling process's user. A session's proof that was made to
/// sign it as well (MakeProof) is as good.
/// @errors BadArgument: another length of key; else as Credentials::encode
/// @cost O(spec) and one call of the identity service, which blocks
Result<std::string> sign_spec(Credentials& with, std::string_view spec,
                              std::string_view request_key);

/// The uid that signed exactly this specification and key. Age does not matter: a job may wait
/// for weeks, and a submit be retried after an outage. It proves origin, not presence: the
/// master compares it with the session's uid.
/// @errors Stale: forged, or munged has another key by now; Denied: signed something else, or by a
///         key without uid; Unavailable
/// @cost as sign_spec
Result<std::uint32_t> signer_of_spec(Credentials& with, std::string_view credential,
                                     std::string_view spec, std::string_view request_key);

}  // namespace wm::wire
