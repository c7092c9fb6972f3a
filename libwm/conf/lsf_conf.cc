// Names of LSF on the left, fields of wm.conf on the right.
#include "libwm/conf/lsf_conf.h"

namespace wm::conf {
namespace {

// The release of LSF that gave WM its commands and formats, as clients compare it.
constexpr const char* kFollows = "10.1.0.13";
constexpr const char* kReleased = "Nov 25 2026";

// By it badmin knows what it may make anew.
constexpr const char* kMade =
    "# Made by `badmin lsfconf` of wm.conf, for programs that look here for LSF's settings.";

std::string yes(bool value) { return value ? "Y" : "N"; }

std::string seconds(Duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count());
}

std::string share_dir(const ClusterConf& cluster) {
  return cluster.lsf.share_dir.empty() ? cluster.dirs.state : cluster.lsf.share_dir;
}

}  // namespace

std::vector<LsfSetting> lsf_settings(const ClusterConf& cluster, const LsfPlaces& places) {
  std::vector<LsfSetting> all = {
      {"LSF_ENVDIR", places.conf_dir},
      {"LSF_CONFDIR", places.conf_dir},
      {"LSF_BINDIR", places.bin_dir},
      {"LSF_LOGDIR", cluster.dirs.log},
      {"LSB_SHAREDIR", share_dir(cluster)},
      {"LSF_MASTER_LIST", "\"" + cluster.master_host + "\""},
      {"LSB_MBD_PORT", std::to_string(cluster.master_port)},
      {"LSF_UNIT_FOR_LIMITS", cluster.lsf.unit == "default" ? "" : cluster.lsf.unit},
      {"RESOURCE_RESERVE_PER_TASK", yes(cluster.lsf.reserve_per_task)},
      {"LSB_JOB_MEMLIMIT", "Y"},
      {"LSB_RESOURCE_ENFORCE", "\"memory\""},
      {"LSB_BSUB_PARSE_SCRIPT", "Y"},
      {"LSB_STDOUT_DIRECT", "Y"},
      {"LSF_PROCESS_TRACKING", yes(cluster.cgroup_root != "none")},
  };
  std::erase_if(all, [](const LsfSetting& setting) { return setting.value.empty(); });
  return all;
}

std::vector<LsfSetting> lsb_params(const ClusterConf& cluster) {
  return {
      {"DEFAULT_QUEUE", cluster.default_queue},
      {"DEFAULT_PROJECT", cluster.default_project},
      {"DEFAULT_APPLICATION", cluster.default_app},
      {"MBD_SLEEP_TIME", seconds(cluster.times.heartbeat)},
      {"JOB_ACCEPT_INTERVAL", "0"},
      {"CLEAN_PERIOD", seconds(cluster.times.clean_period)},
      {"JOB_TERMINATE_INTERVAL", seconds(cluster.times.kill_grace)},
      {"MAX_JOB_ARRAY_SIZE", std::to_string(cluster.limits.max_array_size)},
      {"MAX_JOB_REQUEUE", std::to_string(cluster.limits.max_user_requeue)},
      {"MAX_JOB_PREEMPT", std::to_string(cluster.limits.max_preempt)},
      {"RESOURCE_RESERVE_PER_TASK", yes(cluster.lsf.reserve_per_task)},
  };
}

std::string lsb_params_path(const ClusterConf& cluster) {
  return "lsbatch/" + cluster.name + "/configdir/lsb.params";
}

std::string lsb_params_text(const ClusterConf& cluster) {
  std::string text = std::string(kMade) + "\nBegin Parameters\n";
  for (const auto& [name, value] : lsb_params(cluster)) text += name + " = " + value + "\n";
  return text + "End Parameters\n";
}

std::string lsf_conf_text(const ClusterConf& cluster, const LsfPlaces& places) {
  std::string text = std::string(kMade) + "\n";
  for (const auto& [name, value] : lsf_settings(cluster, places)) text += name + "=" + value + "\n";
  return text;
}

std::string lsid_banner(const ClusterConf& cluster, const std::string& version) {
  if (!cluster.lsf.banner.empty()) return cluster.lsf.banner;
  return "WM " + version + ", compatible with IBM Spectrum LSF Standard " + kFollows + ", " +
         kReleased;
}

}  // namespace wm::conf
