// Role: what the commands of job groups, of messages at jobs and of service classes ask of the
// master, and what anybody may know of the configuration that it has. Values only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/job_group.h"
#include "libwm/model/job_note.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm {

/// For the user who made the group, and administrators; anyone makes one. Errors: Conflict (it is
/// there; jobs are in it), NotFound, BadArgument (no path).
struct GroupRequest {
  using Reply = struct GroupReply;
  static constexpr Verb kVerb = Verb::Group;
  enum class Act : std::uint8_t { Add = 0, Modify = 1, Remove = 2 };
  std::string request_key;
  Act act = Act::Add;
  std::string path;
  bool with_limit = false;             ///< Add, Modify: `limit` is what is to be
  std::optional<std::uint32_t> limit;  ///< none: any number
  bool operator==(const GroupRequest&) const = default;
};
struct GroupReply {
  std::string path;
  bool operator==(const GroupReply&) const = default;
};

/// Anyone: the groups that were made, by path.
struct GroupsRequest {
  using Reply = struct GroupsReply;
  static constexpr Verb kVerb = Verb::Groups;
  bool operator==(const GroupsRequest&) const = default;
};
struct GroupsReply {
  std::map<std::string, JobGroup> groups;
  std::map<std::string, std::uint32_t> active;  ///< of every group: jobs that run or are stopped
  bool operator==(const GroupsReply&) const = default;
};

/// Owner and administrators. Errors: NotFound, Limit (index, lengths).
struct PostRequest {
  using Reply = struct PostReply;
  static constexpr Verb kVerb = Verb::Post;
  std::string request_key;
  JobId job;
  JobNote note;  ///< who and when are the master's to say
  bool operator==(const PostRequest&) const = default;
};
struct PostReply {
  std::uint32_t index = 0;
  bool operator==(const PostReply&) const = default;
};
/// Owner and administrators.
struct NotesRequest {
  using Reply = struct NotesReply;
  static constexpr Verb kVerb = Verb::Notes;
  JobId job;
  bool operator==(const NotesRequest&) const = default;
};
struct NotesReply {
  JobNotes notes;
  bool operator==(const NotesReply&) const = default;
};

/// Administrators. A pending job starts now on these hosts. Errors: NotFound, Conflict (not
/// pending; no room: says what is missing).
struct RunNowRequest {
  using Reply = struct RunNowReply;
  static constexpr Verb kVerb = Verb::RunNow;
  std::string request_key;
  JobId job;
  std::vector<std::string> hosts;
  bool operator==(const RunNowRequest&) const = default;
};
struct RunNowReply {
  std::vector<std::string> hosts;  ///< one per task
  bool operator==(const RunNowReply&) const = default;
};

/// Owner and administrators. A rerunnable job that runs ends there and waits again, to start on
/// these hosts only (none: on any but those it is on).
struct MigrateRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Migrate;
  std::string request_key;
  JobSelection jobs;
  std::vector<std::string> hosts;
  bool operator==(const MigrateRequest&) const = default;
};

/// Anyone: queues, users, hosts' groups, plans, profiles, limits and service classes as the master
/// has them, with what groups_command told. Nothing of the cluster section but names.
struct ConfRequest {
  using Reply = struct ConfReply;
  static constexpr Verb kVerb = Verb::Conf;
  bool operator==(const ConfRequest&) const = default;
};
struct ConfReply {
  std::shared_ptr<const Config> config;
  bool operator==(const ConfReply&) const = default;
};

/// Administrators. What the master has been doing, counted since `start`.
struct PerfmonRequest {
  using Reply = struct PerfmonReply;
  static constexpr Verb kVerb = Verb::Perfmon;
  enum class Act : std::uint8_t { View = 0, Start = 1, Stop = 2 };
  Act act = Act::View;
  Duration period{};  ///< of a sample; Start
  bool operator==(const PerfmonRequest&) const = default;
};
/// One of what is counted. @units a sample; total: since the start
struct PerfmonMetric {
  std::string name;
  std::uint64_t current = 0, max = 0, min = 0, avg = 0, total = 0;
  bool operator==(const PerfmonMetric&) const = default;
};
struct PerfmonReply {
  std::vector<std::string> lines;
  bool on = false;
  WallTime start{}, end{};  ///< of the monitor; of the last whole sample, or none was
  Duration period{};
  std::vector<PerfmonMetric> metrics;
  std::uint64_t fds_used = 0, fds = 0;  ///< descriptors of the master, and their limit
  bool operator==(const PerfmonReply&) const = default;
};

}  // namespace wm
