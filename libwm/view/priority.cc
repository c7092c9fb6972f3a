#include "libwm/view/priority.h"

#include <cstdio>

#include "libwm/view/job_fields.h"

namespace wm::view {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

bool waits(const JobView& view) {
  return view.job->state == JobState::Pending || view.job->state == JobState::Array;
}

}  // namespace

std::string priority_text(const JobView& view) {
  std::string text;
  for (const auto& term : view.priority) {
    text += " " + term.name + " " + short_number(term.value) + ": " + term.text + "\n";
  }
  return text;
}

std::string estimate_text(const JobView& view) {
  const Job& job = *view.job;
  if (!waits(view) || job.waits.promised == WallTime{}) return "";
  std::string text = "Estimated start " + long_time(job.waits.promised);
  if (job.waits.first_promised != job.waits.promised) {
    text += " (first promised " + long_time(job.waits.first_promised) + ")";
  }
  return text;
}

}  // namespace wm::view
