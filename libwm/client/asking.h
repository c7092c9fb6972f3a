// Role: what every question to the master has in common, whatever it asks: a key of its own, how
// long an answer may take, and what one answer has no room for. Used by Master::ask.
#pragma once

#include <chrono>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "libwm/base/hash.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::client {

/// @units bytes
inline constexpr std::size_t kKeySize = 16;
/// The master answers a request that waits when its patience ends; an answer later than this was
/// lost.
inline constexpr Duration kAnswers = std::chrono::seconds(60);

/// Gives a write a new request key. @cost O(1)
template <class Request>
void renew_key(Request& request) {
  if constexpr (requires { request.request_key; }) request.request_key = random_bytes(kKeySize);
}

/// How long the answer may take; none: as any other. @cost O(1)
template <class Request>
std::optional<Duration> patience_of(const Request& request) {
  if constexpr (std::is_same_v<Request, WaitRequest>) return std::chrono::hours(24 * 365);
  else if constexpr (requires { request.patience; }) return request.patience + kAnswers;
  else return std::nullopt;
}

/// Makes the request for what the answer had no room for, and takes that out of the answer.
/// False: that was all. @cost O(rest)
template <class Request, class Reply>
bool go_on(Request& request, Reply& reply) {
  if constexpr (requires { request.jobs = std::move(*reply.rest); }) {
    auto rest = std::exchange(reply.rest, {});
    if (rest) request.jobs = std::move(*rest);
    return rest.has_value();
  } else if constexpr (requires { request = std::move(*reply.rest); }) {
    auto rest = std::exchange(reply.rest, {});
    if (rest) request = std::move(*rest);
    return rest.has_value();
  } else if constexpr (requires { request.after = reply.entries.back().number; }) {
    bool more = std::exchange(reply.more, false) && !reply.entries.empty();
    if (more) request.after = reply.entries.back().number;
    return more;
  } else {
    return false;
  }
}

/// Moves `more` behind `list`. @cost O(more)
template <class List>
void append(List& list, List& more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

/// Puts the next part of an answer behind those before it. @cost O(part)
template <class Reply>
void append_reply(Reply& all, Reply& part) {
  if constexpr (requires { all.hosts; }) append(all.hosts, part.hosts);
  if constexpr (requires { all.jobs; }) append(all.jobs, part.jobs);
  if constexpr (requires { all.missing; }) append(all.missing, part.missing);
  if constexpr (requires { all.strangers; }) append(all.strangers, part.strangers);
  if constexpr (requires { all.sums; }) append(all.sums, part.sums);
  if constexpr (requires { all.rest; }) all.rest = std::move(part.rest);
  if constexpr (requires { all.entries; }) {
    append(all.entries, part.entries);
    all.checked = part.checked;
    all.broken = std::move(part.broken);
    all.more = part.more;
  }
}

}  // namespace wm::client
