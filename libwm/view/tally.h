// Role: slots of unfinished jobs added up by user, application profile or whatever names them: what
// busers, bapp, blimits and badmin showstatus show. Pure. @source LSF busers, bapp (lsf-surface 4)
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/view/field.h"

namespace wm::view {

/// The jobs of one name. @units slots, as LSF counts; pending_jobs: jobs
struct Tally {
  std::string name;
  std::uint32_t max = 0;  ///< they may hold; 0: no limit
  std::uint32_t jobs = 0, pending = 0, running = 0, parked = 0, stopped = 0;
  std::uint32_t pending_jobs = 0;
  bool operator==(const Tally&) const = default;
};

/// By what jobs are told apart.
using NameOf = std::function<std::string(const JobView&)>;

/// A tally for each name that has jobs, and for each of `also`; by name. @cost O(jobs log names)
std::vector<Tally> tallies(std::span<const JobView> jobs, const NameOf& name_of,
                           std::span<const std::string> also = {});
/// All of them together, without a name. @cost O(jobs)
Tally tally(std::span<const JobView> jobs);

/// Columns of busers; of bapp. @cost O(1)
std::span<const Field<Tally>> user_tally_fields();
std::span<const Field<Tally>> app_tally_fields();
/// The default tables; `wide`: with pending jobs and their limits. @cost O(names)
std::string user_table(std::span<const Tally> users, bool wide, bool with_header);
std::string app_table(std::span<const Tally> apps, bool with_header);
/// bapp -l: one profile and its jobs. @cost O(text)
std::string app_long_text(const AppConf& app, const Tally& jobs);

/// A limit that is configured, and how much of it is in use. Empty words: any, all.
struct LimitRow {
  std::string name, users, queues, hosts, plans;
  std::uint32_t used = 0, limit = 0;  ///< slots
  bool bounds_slots = true;
  std::string projects, apps;  ///< of limits.conf
  std::string jobs, mem;       ///< "2/4", "3G/8G"; empty: it does not bound them
  std::string description;
};
/// Every limit on slots: of queues (in all, a user's, a host's), of users, of plans. Of those that
/// count for each user or host apart: each that uses some. @cost O(jobs + plans)
std::vector<LimitRow> limit_rows(const Config& config, std::span<const JobView> jobs,
                                 std::span<const PlanView> plans);
/// Columns of blimits. @cost O(1)
std::span<const Field<LimitRow>> limit_fields();

}  // namespace wm::view
