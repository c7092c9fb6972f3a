// bslots: shows how many slots are free now, and for how long: until the first job that has been
// promised a start is to get its own.
#include <algorithm>
#include <chrono>
#include <optional>

#include "commands/common/command.h"
#include "libwm/base/clock.h"

namespace wm::cmd::bslots {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "The hosts that have them, too"},
    {"noheader", Kind::Flag, "", "No heading"},
};

std::optional<WallTime> first_promise(std::span<const JobView> jobs) {
  std::optional<WallTime> first;
  for (const auto& view : jobs)
    if (view.job->state == JobState::Pending && view.job->waits.promised != WallTime{})
      first = std::min(first.value_or(WallTime::max()), view.job->waits.promised);
  return first;
}

std::string runtime_text(std::optional<WallTime> until) {
  if (!until) return "UNLIMITED";
  auto left = std::chrono::duration_cast<std::chrono::minutes>(*until - wall_now());
  auto minutes = std::max<std::int64_t>(left.count(), 0);
  return std::to_string(minutes / 60) + " hours " + std::to_string(minutes % 60) + " minutes";
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto hosts, from.ask(HostsRequest{}));
  JobSelection selection;
  selection.user = "all";
  selection.pending_only = true;
  WM_TRY(auto jobs, from.ask(JobsRequest{selection}));
  std::uint32_t free = 0;
  std::string where;
  for (const auto& view : hosts.hosts) {
    const Host& host = view.host;
    std::uint32_t taken = host.used_slots + host.stuck_slots;
    if (!is_open(host) || taken >= host.capacity.slots) continue;
    free += host.capacity.slots - taken;
    where +=
        (where.empty() ? "" : " ") + std::to_string(host.capacity.slots - taken) + "*" + host.name;
  }
  if (free == 0) {
    complain("No backfill window exists at this time\n");
    return 0;
  }
  if (!options.has("noheader"))
    say(options.has("l") ? "SLOTS    RUNTIME              HOSTS\n" : "SLOTS    RUNTIME\n");
  std::string slots = std::to_string(free), runtime = runtime_text(first_promise(jobs.jobs));
  slots.resize(std::max<std::size_t>(slots.size(), 8), ' ');
  if (options.has("l")) runtime.resize(std::max<std::size_t>(runtime.size(), 20), ' ');
  say(slots + " " + runtime + (options.has("l") ? " " + where : "") + "\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bslots

int main(int argc, char** argv) {
  using namespace wm::cmd::bslots;
  return main_of({"bslots", "bslots [-l]", kOptions}, argc, argv, run);
}
