#include "libwm/view/growth.h"

#include "libwm/view/job_fields.h"

namespace wm::view {
namespace {

std::string until(WallTime time) { return " until " + long_time(time); }

std::string setback_text(const Setback& setback, const std::string& host) {
  std::string many = setback.failures == 1 ? "one" : std::to_string(setback.failures) + " in a row";
  return "no new task on " + host + until(setback.until) + ": " + many +
         " ended there before joining, last: " + setback.why;
}

}  // namespace

std::string growth_text(const JobView& view) {
  const Job& job = *view.job;
  if (!job.size.grow_blocked.empty())
    return job.size.grow_blocked +
           (job.size.grow_again == WallTime{} ? "" : ";" + until(job.size.grow_again));
  std::string text;
  for (std::size_t i = 0; i < job.size.setbacks.size() && i < view.setback_hosts.size(); ++i)
    text += (text.empty() ? "" : "; ") + setback_text(job.size.setbacks[i], view.setback_hosts[i]);
  return text;
}

}  // namespace wm::view
