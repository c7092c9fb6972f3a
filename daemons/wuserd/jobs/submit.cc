#include "daemons/wuserd/jobs/submit.h"

#include <unistd.h>

#include "libwm/base/clock.h"
#include "libwm/conf/load.h"
#include "libwm/expr/groups.h"
#include "libwm/submit/job_environment.h"
#include "libwm/submit/sign_again.h"
#include "libwm/submit/submission.h"
#include "libwm/submit/torch_version.h"

namespace wm::user {
namespace {

cmd::Surroundings surroundings_of(const Site& site) {
  cmd::Surroundings here;
  here.who = {::getuid(), ::getgid(), ""};  // the master names the account: it goes by the uid
  here.cwd = here.home = site.home;
  here.host = conf::this_host();
  here.umask = 077;
  here.now = wall_now();
  here.torch_of = cmd::torch_of;
  here.limit_unit = site.conf.lsf.limit_unit();
  here.mem_unit = site.conf.lsf.mem_unit();
  here.environment = {"HOME=" + site.home,          "USER=" + site.user, "LOGNAME=" + site.user,
                      std::string("PATH=") + kPath, "LANG=C.UTF-8",      "SHELL=/bin/sh"};
  return here;
}

// Of runs: a service has to go on, whatever else its owner has.
Result<void> has_room(Site& site) {
  const Bytes quota = site.conf.limits.results_quota;
  if (quota.value == 0) return {};
  auto use = site.results.use();
  if (room_for(use, quota) == ResultsRoom::None) return fail(Code::Limit, room_words(use, quota));
  return {};
}

template <class Change>
Result<SubmitReply> submit_changed(Site& site, const JobRequest& job, Execution exec,
                                   Change change) {
  WM_TRY(has_room(site));
  auto here = surroundings_of(site);
  WM_TRY(auto spec, cmd::make_spec(job, here));
  spec.exec = std::move(exec);
  WM_TRY(auto env, cmd::make_environment(job, here));
  change(spec);
  WM_TRY(auto master, site.masters.take());
  return cmd::submit_signed(*master, std::move(spec), "", env.block, here);
}

}  // namespace

Result<std::string> container_program(const Site& site, const std::string& name) {
  WM_TRY(auto config, conf::load(site.conf_dir, conf::this_host()));
  const AppConf* app = config.app(name);
  return app == nullptr ? std::string("none") : app->container.driver;
}

Result<SubmitReply> submit(Site& site, const JobRequest& job, Execution exec) {
  return submit_changed(site, job, std::move(exec), [](JobSpec&) {});
}

Result<SubmitReply> submit_array(Site& site, const JobRequest& job, Execution exec,
                                 OpenArray array) {
  return submit_changed(site, job, std::move(exec), [&](JobSpec& spec) {
    spec.name = std::move(array.name);
    spec.array = {{1, array.most, 1}};
    spec.array_limit = array.at_once;
    spec.open = true;
    spec.rerunnable = true;  // lost with its host it is no failed one
  });
}

Result<SubmitReply> submit_groups(Site& site, const JobRequest& job, Grouped grouped) {
  auto here = surroundings_of(site);
  here.umask = grouped.umask;
  for (const auto& [name, value] : grouped.environment)
    here.environment.push_back(name + "=" + value);
  WM_TRY(auto spec, cmd::make_spec(job, here));
  spec.exec = std::move(grouped.exec);
  spec.groups = std::move(grouped.groups);
  WM_TRY(expr::check_groups(spec));
  WM_TRY(auto env, cmd::make_environment(job, here));
  WM_TRY(auto master, site.masters.take());
  return cmd::submit_signed(*master, std::move(spec), "", env.block, here);
}

}  // namespace wm::user
