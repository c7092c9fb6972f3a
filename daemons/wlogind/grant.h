// Role: what a password or an API key gives, and how the process that reads a user's keys tells it.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wm::login {

/// @units until: seconds since the epoch; 0: no end of its own
struct Grant {
  std::string scopes;
  std::int64_t until = 0;
  bool operator==(const Grant&) const = default;
};

/// "UNTIL SCOPES". @cost O(length)
std::string grant_text(const Grant& grant);
/// None: it is no such text; what a process of the user's writes is not believed further.
std::optional<Grant> read_grant(std::string_view text);

/// When a token ends that is signed now: after a token's life, and never behind what it was given
/// for. @units seconds since the epoch
std::int64_t token_end(const Grant& grant, std::int64_t now);

}  // namespace wm::login
