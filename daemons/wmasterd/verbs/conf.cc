// The verb Conf: the configuration that the master has, without what only daemons need to know.
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {

void conf(Service& service, const Call& call, const ConfRequest&) {
  service.answers.read(call, [state = service.journal.published_ptr()] {
    auto shown = std::make_shared<Config>(*state->config);
    const ClusterConf& whole = state->config->cluster;
    shown->cluster = {};
    shown->cluster.name = whole.name;
    shown->cluster.admins = whole.admins;
    shown->cluster.default_queue = whole.default_queue;
    shown->cluster.default_plan = whole.default_plan;
    shown->cluster.default_app = whole.default_app;
    shown->cluster.default_project = whole.default_project;
    for (AppConf& app : shown->apps) app.env.clear();  // what jobs get may hold what is secret
    return ConfReply{std::move(shown)};
  });
}

}  // namespace wm::master::verbs
