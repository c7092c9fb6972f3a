#include "daemons/wmasterd/verbs/policy.h"

#include "libwm/base/log.h"

namespace wm::master::verbs {
namespace {

const SubmitPolicyConf& conf_of(const Service& service) {
  return service.journal.newest().config->cluster.submit_policy;
}

}  // namespace

bool has_policy(const Service& service) { return !conf_of(service).command.empty(); }

void ask_policy(Service& service, const Call& call, PolicyRequest request,
                std::vector<std::string> lines, PolicyDesk::Then then) {
  service.answers.begin(call, request.key);
  auto asked = service.policy.ask(conf_of(service), call.caller().uid, request.bytes,
                                  std::move(lines), std::move(then));
  if (!asked) service.answers.refuse(call, request.key, asked.error());
}

Result<std::vector<OptionChange>> settled_by(Service& service, const Verdict& verdict,
                                             const JobSpec& stated, PolicyRound round) {
  auto settled = master::settled(*service.journal.newest().config, verdict, stated, round,
                                 service.env.clock.wall());
  bool its_options = !settled && verdict.kind == Verdict::Kind::Instead &&
                     settled.error().code == Code::Unavailable;
  if (its_options) log::error("submit_policy_failed", {{"why", settled.error().text}});
  return settled;
}

}  // namespace wm::master::verbs
