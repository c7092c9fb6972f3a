// Role: what opens one job's web application to a browser, on the origin of applications where the
// pages' own cookie never comes: the user's token, sealed for this job alone. First as a ticket,
// which a page hands over in a form; then as that origin's cookie. Pure: key, nonce and time come
// in.
//
//   page ─POST /auth/v1/app─► ticket ─form─► apps origin /_open ─► cookie ─► /12/… ─► wuserd
//
// Invariant: what is sealed is read by wgatewayd alone; neither the browser nor the job can take
// the token out of it, or use it for another job.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// What a pass is for.
enum class PassKind : std::uint8_t { Ticket, Cookie };

/// See the head of this file.
struct AppPass {
  PassKind kind = PassKind::Cookie;
  std::string job;  ///< "12", "12.3"
  std::string token;
  std::string owner;       ///< of the job, who shares it; empty: the user of the token
  std::int64_t until = 0;  ///< @units seconds since the epoch
  bool operator==(const AppPass&) const = default;
};

/// Of secretbox.
using AppKey = std::array<unsigned char, 32>;
using AppNonce = std::array<unsigned char, 24>;  ///< used once

/// Text of letters, digits, "-" and "_". @cost O(length)
std::string seal_pass(const AppPass& pass, const AppKey& key, const AppNonce& nonce);

/// @errors Denied: not sealed by this key, of another kind, or too old
Result<AppPass> open_pass(std::string_view text, const AppKey& key, PassKind kind,
                          std::int64_t now);

/// The job that a path of the apps origin, "/12/tree", is below: digits, with an element's number
/// behind a dot. Empty: none. @cost O(length)
std::string_view app_job(std::string_view path);

/// The name of that job's cookie. Its prefix keeps other hosts from setting it.
std::string app_cookie_name(std::string_view job);

/// A Cookie field without the cookies of the door's own; the rest is the application's.
/// @cost O(length)
std::string without_own_cookies(std::string_view cookies);

}  // namespace wm::rest
