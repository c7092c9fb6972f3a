// Role: identities as distinct types, so that a job number is never taken for a host.
// All are values: ordered, hashable, printable. Invariant: 0 means "none" in each.
// Callers: everything; a bare int never names an object.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "libwm/base/result.h"

namespace wm {

/// An integer with a name. Tag makes the type distinct.
template <class Tag, class Rep = std::uint32_t>
struct Id {
  Rep value = 0;
  auto operator<=>(const Id&) const = default;
  explicit operator bool() const { return value != 0; }
};

/// A host known to the master; dense, never reused within one store.
using HostId = Id<struct HostTag>;
/// One try to run a job; grows by one at every dispatch.
using Attempt = Id<struct AttemptTag>;
/// A task of an attempt; grows, never reused within the attempt. First task is 1.
using TaskNumber = Id<struct TaskTag>;
/// A membership epoch of an elastic job; grows, never reused within the attempt.
using EpochNumber = Id<struct EpochTag>;
/// How often the lead of an elastic job was appointed; members obey the highest.
using LeadNumber = Id<struct LeadTag>;
/// Position in the event table; the first event is 1.
using Seq = Id<struct SeqTag, std::uint64_t>;

/// A job or, with index > 0, one element of a job array: "123" or "123[4]".
struct JobId {
  std::uint32_t job = 0;
  std::uint32_t index = 0;
  auto operator<=>(const JobId&) const = default;
  explicit operator bool() const { return job != 0; }
};

/// "123" or "123[4]". @cost O(1)
std::string to_string(JobId id);

/// Reads "123" or "123[4]".
/// @errors BadArgument: anything else, or a number of 0 or beyond 32 bits
Result<JobId> parse_job_id(const std::string& text);

}  // namespace wm

template <class Tag, class Rep>
struct std::hash<wm::Id<Tag, Rep>> {
  std::size_t operator()(wm::Id<Tag, Rep> id) const { return std::hash<Rep>()(id.value); }
};
template <>
struct std::hash<wm::JobId> {
  std::size_t operator()(wm::JobId id) const {
    return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(id.job) << 32 | id.index);
  }
};
