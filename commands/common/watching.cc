#include "commands/common/watching.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <set>

#include "commands/common/command.h"
#include "commands/common/format.h"

namespace wm::cmd {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

JobChange as_change(const JobView& view) {
  const Job& job = *view.job;
  JobChange change{{}, view.id, job.spec().owner.user, job.spec().queue, view.plan};
  change.name = job.spec().name;
  change.state = job.state;
  change.slots = slots_held(job);
  change.exit_status = job.exit_status;
  change.at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return change;
}

std::string clock_text(WallTime at) {
  auto seconds = std::chrono::system_clock::to_time_t(at);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
}

// The widths of the columns; the last is as long as it is.
std::string line(const std::array<std::string, 7>& cells) {
  static constexpr int kWidths[] = {8, 12, 5, -5, 10, 10};
  std::string text;
  for (std::size_t i = 0; i < std::size(kWidths); ++i)
    text += fit(cells[i], std::abs(kWidths[i]), kWidths[i] < 0) + " ";
  return text + cells.back() + "\n";
}

// Those of the named jobs that are not over yet.
class Awaited {
 public:
  explicit Awaited(bool named) : named_(named) {}
  void note(const JobChange& change) {
    if (is_over(change.state)) left_.erase(change.id);
    else left_.insert(change.id);
  }
  bool all_over() const { return named_ && left_.empty(); }

 private:
  bool named_;
  std::set<JobId> left_;
};

// How they stand now. What happens from `seen` on comes after it, perhaps once more.
Result<void> list(client::Master& master, const JobSelection& selection, Awaited& awaited) {
  WM_TRY(auto reply, master.jobs({selection}));
  if (reply.jobs.empty() && !selection.ids.empty())
    return fail(Code::NotFound, "Job <" + to_string(selection.ids[0]) + "> is not found");
  for (const auto& view : reply.jobs) {
    auto change = as_change(view);
    awaited.note(change);
    say(change_line(change));
  }
  return {};
}

}  // namespace

std::string change_heading() {
  return line({"TIME", "JOBID", "STAT", "SLOTS", "USER", "QUEUE", "JOB_NAME"});
}

std::string change_line(const JobChange& change) {
  return line({clock_text(change.at), to_string(change.id), std::string(lsf_state(change.state)),
               std::to_string(change.slots), change.user, change.queue,
               change.name.empty() ? "-" : printable(change.name)});
}

Result<void> watch_jobs(client::Master& master, const JobSelection& selection, bool heading) {
  WatchRequest request{{selection.ids, selection.user, selection.queue}, {}, kPatience};
  Awaited awaited(!selection.ids.empty());
  if (heading) say(change_heading());
  while (true) {
    if (!request.after) {
      WM_TRY(auto now, master.watch(request));
      request.after = now.seen;
      WM_TRY(list(master, selection, awaited));
    }
    if (awaited.all_over()) return {};
    WM_TRY(auto reply, master.watch(request));
    request.after = reply.missed ? Seq{} : reply.seen;
    for (const auto& change : reply.changes) {
      awaited.note(change);
      say(change_line(change));
    }
  }
}

}  // namespace wm::cmd
