// Role: what commands and the gateway ask about hosts: one request struct and one reply struct a
// verb. Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/model/host.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Anyone.
struct HostsRequest {
  using Reply = struct HostsReply;
  static constexpr Verb kVerb = Verb::Hosts;
  std::vector<std::string> names;
  std::string after;       ///< only hosts with names that come after this one
  bool with_cpus = false;  ///< their topology, too
  bool operator==(const HostsRequest&) const = default;
};
struct HostView {
  Host host;
  bool connected = false;
  double load = 0;
  std::uint32_t jobs = 0, running = 0, suspended = 0, stuck_gpus = 0;  ///< slots
  std::vector<GpuReport> gpus;  ///< last heard of its devices
  std::uint32_t parked = 0;     ///< tasks of jobs stopped to make way; they hold no slot
  HostLoad more;                ///< last heard
  std::uint32_t reserved = 0;   ///< slots that active reservations keep and nobody uses
  std::vector<Cpu> cpus;        ///< where it was asked for; empty: jobs are not bound there
  std::uint32_t moving = 0;     ///< of `jobs`: slots of tasks that go elsewhere: it is drained
  bool operator==(const HostView&) const = default;
};

/// A machine that asks to be a host of the cluster and is refused: hosts.conf does not list it.
struct Stranger {
  std::string name, address;
  bool operator==(const Stranger&) const = default;
};
struct HostsReply {
  std::vector<HostView> hosts;       ///< by name; those that never registered too: state Silent
  std::optional<HostsRequest> rest;  ///< what this answer had no room for; none: that was all
  std::vector<Stranger> strangers;   ///< by name; in the last answer only
  bool operator==(const HostsReply&) const = default;
};

}  // namespace wm
