// Role: Credentials by a 32-byte key that both peers hold: how the agents of one job know each
// other, with the job's key that the master gave to each. Proves membership, not a uid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libwm/wire/credentials.h"

namespace wm::wire {

/// The job's key.
using SharedKey = std::array<std::uint8_t, 32>;

/// Credentials that anyone with `key` can make and check. They neither expire nor count
/// replays: a session's proof covers both fresh keys, so an old one never fits a new session.
/// @errors of decode: Denied, made with another key   @thread any   @cost microseconds, no I/O
std::unique_ptr<Credentials> shared_key_credentials(const SharedKey& key);

/// A key for one `purpose` that follows from the job's, and tells nothing of it.
/// @shape [32] bytes   @cost microseconds
std::string key_for(const SharedKey& key, std::string_view purpose);

}  // namespace wm::wire
