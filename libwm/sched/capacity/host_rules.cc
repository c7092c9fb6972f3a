#include "libwm/sched/capacity/host_rules.h"

#include <algorithm>

#include "libwm/sched/capacity/host_capacity.h"

namespace wm::sched {

Host emptied(Host host) {
  host.used_slots = host.used_milli_cpus = host.stuck_slots = 0;
  host.used_mem = Bytes{0};
  host.gpu_owners.clear();
  host.gpu_shares.clear();
  host.gpu_marks.clear();
  return host;
}

bool names_host(const std::vector<std::string>& names, const Config& config, const Host& host) {
  auto named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (named(host.name) || named("all")) return true;
  const HostConf* conf = config.host(host.name);
  return conf && std::any_of(conf->groups.begin(), conf->groups.end(), named);
}

HostRules::HostRules(const JobSpec& spec, const Config& config)
    : spec_(spec),
      config_(config),
      queue_(config.queue(spec.queue)),
      select_(expr::Select::parse(spec.asked.select)),
      asked_(expr::parse_asked_hosts(spec.asked.hosts)),
      takes_any_(spec.asked.hosts.empty() && (!queue_ || queue_->hosts.empty())) {}

int HostRules::preference(const Host& host) const {
  static const std::vector<std::string> kNoGroups;
  if (takes_any_) return 0;
  bool open = !queue_ || queue_->hosts.empty() || names_host(queue_->hosts, config_, host);
  if (!open || !asked_) return expr::kNotAsked;
  const HostConf* conf = config_.host(host.name);
  return expr::preference_of(*asked_, host.name, conf ? conf->groups : kNoGroups);
}

bool HostRules::meet(const Host& host) const {
  return fits_bare(host, spec_.task) && selects(host);
}

bool HostRules::meet_empty(const Host& host) const {
  return fits_bare(host, spec_.task) && selects_empty(host);
}

bool HostRules::selects_empty(const Host& host) const {
  return select_ && (select_->empty() || selects(emptied(host)));
}

expr::Lookup HostRules::lookup(const Host& host) const {
  return [&host, conf = config_.host(host.name)](std::string_view name) {
    return expr::host_value(host, conf, name);
  };
}

}  // namespace wm::sched
