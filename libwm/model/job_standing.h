// Role: parts of how a job stands (Job in job.h): its size, its times, what it waits for, how it
// ended, how often it came back. Values; only libwm/fsm changes them, by events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/making_way.h"
#include "libwm/model/reason.h"
#include "libwm/model/setback.h"

namespace wm {

/// Where a pending job is to start at its promised date.
struct PromisedPlace {
  HostId host;
  std::uint32_t tasks = 0;
  bool operator==(const PromisedPlace&) const = default;
};

/// A change of size that the job's own notification command is asked about (ResizeMode::Notify).
struct ResizeNotice {
  std::uint32_t number = 0;  ///< rises with every notice of the job
  bool grow = false;
  std::vector<TaskNumber> tasks;  ///< added, or to leave
  bool operator==(const ResizeNotice&) const = default;
};

/// How large an elastic job may be now, and how its changes of size go.
struct Sizing {
  std::uint32_t cap = 0;               ///< bresize: at most so many tasks; 0 = max_tasks
  std::uint32_t script_cap = 0;        ///< engines_number; 0 = none
  bool wants_none = false;             ///< of an independent group: no task for now
  std::uint32_t failed_starts = 0;     ///< newcomers lost since one has joined
  std::string grow_blocked;            ///< reason not to grow now
  WallTime grow_again{};               ///< blocked until then; 0: until bresize asks for more
  std::vector<Setback> setbacks;       ///< of this attempt, by host
  std::uint32_t relaunches = 0;        ///< resizes by restart in this attempt
  std::uint32_t notices = 0;           ///< resize notices so far
  std::optional<ResizeNotice> notice;  ///< not answered yet; no resize until it is
  std::string notify_command;          ///< taken unsigned before; empty: the specification's
  bool operator==(const Sizing&) const = default;
};

/// When a job's states began; 0: not yet.
struct Times {
  WallTime submitted{}, dispatched{}, started{}, ended{};
  bool operator==(const Times&) const = default;
};

/// How a job ended.
struct Outcome {
  std::int32_t status = 0;  ///< wait status of the task that decided
  Term term = Term::None;
  std::string text;    ///< more, for people
  HostId delivers_on;  ///< writes what the job leaves; its end is told after that; 0: none does
  bool operator==(const Outcome&) const = default;
};

/// How often a job came back to its queue.
struct Returns {
  std::uint32_t requeues = 0;       ///< made way for others not counted
  std::uint32_t user_requeues = 0;  ///< of these: asked for by the job's own exit
  std::uint32_t preemptions = 0;    ///< made way for others
  bool operator==(const Returns&) const = default;
};

/// What a job waits for, and among whom.
struct PendState {
  WallTime promised{};        ///< when it is to start at the latest; 0: no date known
  WallTime first_promised{};  ///< the first such date of this wait: what the error is taken from
  std::vector<PromisedPlace> places;  ///< kept for it; empty: the date is an estimate
  std::int32_t place = 0;  ///< btop, bbot: lower goes first within a queue, before all else
  std::uint32_t turn = 0;  ///< it has the turn of this job, moved among its owner's; 0: its own
  /// Not dispatched to them again: it ended there with a code that excludes. Rising.
  std::vector<HostId> excluded_hosts;
  std::vector<HostId> only_hosts;      ///< bmig: on no others, rising; empty: on any
  std::optional<Preempted> preempted;  ///< kept while it waits, so that it starts after `by`
  bool operator==(const PendState&) const = default;
};

/// A job stopped by bstop.
struct Suspension {
  std::string by;  ///< empty: not suspended
  WallTime since{};
  Duration earlier{};  ///< earlier suspensions of this attempt together
  bool operator==(const Suspension&) const = default;
};

/// Of an array's base: which of its elements are jobs.
struct Elements {
  std::uint64_t first = 0;          ///< number of the first in Cluster::elements
  std::uint32_t next_position = 0;  ///< those from here on are pending, unless made
  std::uint32_t active = 0;         ///< launching, running, suspended or unknown
  bool closed = false;              ///< open array: no more will be given
  bool operator==(const Elements&) const = default;
};

/// What the indexes (indexes.h) hold of a job, so that a change is known as one. Not written.
struct Counted {
  bool listed = false;        ///< by user and name
  bool moved = false;         ///< among those that have another place in their queue than by turn
  std::uint32_t waiting = 0;  ///< jobs that wait: an array's elements, too
  std::uint8_t state = 0;     ///< of an element: its JobState + 1; 0: it is not counted
  bool operator==(const Counted&) const = default;
};

/// Of an open array's element: what it was given, and what it said of it.
struct Trial {
  std::string data_hash;  ///< BLAKE2b-256 of what it was given, raw bytes; empty: nothing
  std::string report;     ///< its newest metrics, one JSON object
  WallTime reported{};
  bool operator==(const Trial&) const = default;
};

}  // namespace wm
