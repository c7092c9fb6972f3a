#include "daemons/wmasterd/verbs/privacy.h"

namespace wm::master {

JobInfo shown_to(JobInfo info, const JobSelection& asked) {
  return info == JobInfo::Summary && !asked.name.empty() ? JobInfo::None : info;
}

void count_as_missing(JobId id, const JobSelection& asked, std::vector<JobId>& missing) {
  auto is_in = [](JobId one, const auto& ids) {
    return std::find(ids.begin(), ids.end(), one) != ids.end();
  };
  for (JobId one : {id, JobId{id.job, 0}})
    if (is_in(one, asked.ids) && !is_in(one, missing)) missing.push_back(one);
}

InfoRule info_for(std::shared_ptr<const Config> config, const Rights& rights, const Identity& who) {
  return [config = std::move(config), rights, who](bool own, const std::string& queue) {
    bool sees = own || is_admin_of(roles_in_queue(*config, rights, who, queue));
    return sees ? JobInfo::All : config->cluster.job_info;
  };
}

bool is_hidden(const Config& config, const Rights& rights, const Identity& who,
               const JobSpec& job) {
  if (config.cluster.job_info != JobInfo::None) return false;
  auto roles = roles_in_job(config, rights, who, job);
  return !roles.owner && !is_admin_of(roles);
}

}  // namespace wm::master
