#include "libwm/model/stoppers.h"

namespace wm {
namespace {

constexpr const char* kWindow = "run window of queue <";
constexpr const char* kLoad = "load of host <";
constexpr const char* kHostWindow = "dispatch window of host <";

}  // namespace

std::string window_stopper(const std::string& queue) { return kWindow + queue + ">"; }
std::string load_stopper(const std::string& host) { return kLoad + host + ">"; }
std::string window_closer(const std::string& host) { return kHostWindow + host + ">"; }

bool is_closed_for_load(const Host& host) { return host.closed_by.starts_with(kLoad); }
bool is_closed_by_window(const Host& host) { return host.closed_by.starts_with(kHostWindow); }

bool is_stopped_for_load(const Job& job) { return job.suspension.by.starts_with(kLoad); }

bool is_stopped_by_system(const Job& job) {
  const std::string& by = job.suspension.by;
  if (by.empty()) return job.parked.has_value();
  return by.starts_with(kWindow) || is_stopped_for_load(job);
}

}  // namespace wm
