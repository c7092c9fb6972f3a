#include "daemons/wmasterd/verbs/pend_room.h"

#include <algorithm>
#include <string>

#include "libwm/model/elements.h"

namespace wm::master {
namespace {

Result<void> check(std::uint64_t wait, std::uint64_t more, std::uint32_t most,
                   const std::string& whose) {
  if (most == 0 || wait + more <= most) return {};
  return fail(Code::Limit, "Pending job threshold reached: " + std::to_string(wait) + " jobs of " +
                               whose + " wait, the limit is " + std::to_string(most));
}

}  // namespace

Result<void> PendRoom::take(const JobSpec& spec) {
  const Config& config = *state_.config;
  const UserConf* user = config.user(spec.owner.user);
  if (!user) user = config.user("default");
  auto of_all = config.cluster.limits.max_pend_jobs;
  auto of_user = user ? user->max_pend_jobs : 0;
  if (of_all == 0 && of_user == 0) return {};
  const auto more = spec.open ? 1u : std::max(1u, element_count(spec));
  const auto uid = spec.owner.uid;
  const UserWaits* own = state_.indexes.waits.find({uid, 0});
  WM_TRY(check((own ? own->jobs : 0) + taken_of_[uid], more, of_user,
               "user <" + spec.owner.user + ">"));
  WM_TRY(check(state_.indexes.waiting + taken_, more, of_all, "the cluster"));
  taken_ += more;
  taken_of_[uid] += more;
  return {};
}

}  // namespace wm::master
