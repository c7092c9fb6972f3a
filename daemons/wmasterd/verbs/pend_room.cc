#include "daemons/wmasterd/verbs/pend_room.h"

#include <algorithm>
#include <string>

#include "libwm/model/elements.h"

namespace wm::master {
namespace {

// Jobs that wait of one that was submitted.
std::uint64_t waiting_of(const Job& job) {
  if (job.spec().array.empty())
    return job.state == JobState::Pending || job.state == JobState::Held ? 1 : 0;
  if (job.kill || is_over(job.state)) return 0;
  if (job.spec().open) return 1;
  return element_count(job.spec()) - job.elements.next_position;
}

Result<void> check(std::uint64_t wait, std::uint64_t more, std::uint32_t most,
                   const std::string& whose) {
  if (most == 0 || wait + more <= most) return {};
  return fail(Code::Limit, "Pending job threshold reached: " + std::to_string(wait) + " jobs of " +
                               whose + " wait, the limit is " + std::to_string(most));
}

}  // namespace

const PendRoom::Waiting& PendRoom::count() {
  if (waiting_) return *waiting_;
  waiting_.emplace();
  state_.jobs.each([&](std::uint32_t, const Job& job) {
    auto n = waiting_of(job);
    waiting_->all += n;
    if (n) waiting_->of_user[job.spec().owner.uid] += n;
  });
  return *waiting_;
}

Result<void> PendRoom::take(const JobSpec& spec) {
  const Config& config = *state_.config;
  const UserConf* user = config.user(spec.owner.user);
  if (!user) user = config.user("default");
  auto of_all = config.cluster.limits.max_pend_jobs;
  auto of_user = user ? user->max_pend_jobs : 0;
  if (of_all == 0 && of_user == 0) return {};
  const auto more = spec.open ? 1u : std::max(1u, element_count(spec));
  const Waiting& now = count();
  auto own = now.of_user.find(spec.owner.uid);
  WM_TRY(check(own == now.of_user.end() ? 0 : own->second, more, of_user,
               "user <" + spec.owner.user + ">"));
  WM_TRY(check(now.all, more, of_all, "the cluster"));
  waiting_->all += more;
  waiting_->of_user[spec.owner.uid] += more;
  return {};
}

}  // namespace wm::master
