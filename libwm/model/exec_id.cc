#include "libwm/model/exec_id.h"

#include <charconv>

namespace wm {
namespace {

bool take_number(std::string_view& text, std::uint32_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string id_part(JobId job) {
  return std::to_string(job.job) + (job.index ? "." + std::to_string(job.index) : "");
}

std::string exec_id(std::string_view cluster, JobId job) {
  auto text = std::string(cluster) + "-" + std::to_string(job.job);
  return job.index ? text + "-" + std::to_string(job.index) : text;
}

std::optional<JobId> job_of_exec(std::string_view text, std::string_view cluster) {
  if (text.size() > cluster.size() && text.starts_with(cluster) && text[cluster.size()] == '-')
    text.remove_prefix(cluster.size() + 1);
  JobId id;
  if (!take_number(text, id.job)) return {};
  if (text.empty()) return id;
  if (text.front() != '.' && text.front() != '-') return {};
  text.remove_prefix(1);
  if (!take_number(text, id.index) || !text.empty()) return {};
  return id;
}

}  // namespace wm
