#include "daemons/wmasterd/verbs/rights.h"

#include <algorithm>

namespace wm::master {

Roles roles_in_queue(const Config& config, const Rights& rights, const Identity& who,
                     const std::string& queue) {
  const auto& admins = config.cluster.admins;
  const QueueConf* conf = config.queue(queue);
  Roles roles;
  roles.admin = rights.admin_uids.count(who.uid) != 0 ||
                std::find(admins.begin(), admins.end(), who.user) != admins.end();
  roles.queue_admin = conf && is_listed(config, conf->admins, who);
  return roles;
}

Roles roles_in_job(const Config& config, const Rights& rights, const Identity& who,
                   const JobSpec& job) {
  Roles roles = roles_in_queue(config, rights, who, job.queue);
  roles.owner = job.owner.uid == who.uid;
  return roles;
}

}  // namespace wm::master
