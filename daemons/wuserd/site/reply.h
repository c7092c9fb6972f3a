// Role: what answers look like: JSON, nothing at all, and an error as who asks for an address reads
// it.
#pragma once

#include <string>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Answers with a text of JSON. @cost O(length)
Answer json_reply(std::string text, int status = 200);
/// Done, and nothing to say. @cost O(1)
inline Answer done() { return http::Reply{204, {}, ""}; }

/// An error as who asks for this address reads it: clients of WMLA a line of text, ours
/// problem+json. @source RFC 7807
http::Reply error_reply(const std::string& target, int status, const std::string& text);
/// The status of such an answer. @cost O(1)
int status_of(const std::string& target, const Error& error);
/// What a request is refused with: 412 where it said what it knew, and knew wrong. @cost O(1)
int status_for(const http::Head& head, const Error& error);

}  // namespace wm::user
