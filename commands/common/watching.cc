#include "commands/common/watching.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/base/local_time.h"
#include "libwm/view/format.h"
#include "libwm/view/table.h"

namespace wm::cmd {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

JobChange as_change(const JobView& view) {
  const Job& job = *view.job;
  JobChange change{{}, view.id, job.spec().owner.user, job.spec().queue, view.plan};
  change.name = job.spec().name;
  change.state = job.state;
  change.slots = slots_held(job);
  change.attempt = job.attempt;
  change.exit_status = job.outcome.status;
  change.at = wall_now();
  return change;
}

std::string clock_text(WallTime at) { return local_text(at, "%H:%M:%S"); }

std::string line(const std::array<std::string, 7>& cells) {
  static constexpr int kWidths[] = {8, 12, 5, -5, 10, 10};  // the last is as long as it is
  return view::line_of(cells, kWidths) + "\n";
}

// How the jobs stood when they were told of last.
class Board {
 public:
  explicit Board(bool named) : named_(named) {}

  // A line, unless what it says of the job has been said.
  void tell(const JobChange& change) {
    if (change.state == JobState::Array) return;
    if (ends_array(change)) return void(is_stale_ = true);
    if (is_over(change.state)) left_.erase(change.id);
    else left_.insert(change.id);
    auto& told = told_[change.id];
    if (std::exchange(told, Told{lsf_state(change.state), change.slots, change.attempt}) != told)
      say(change_line(change));
  }
  // Elements have ended that nobody tells of one by one; asked once.
  bool take_stale() { return std::exchange(is_stale_, false); }
  // All that were named are over.
  bool is_done() const { return named_ && left_.empty(); }

 private:
  using Told = std::tuple<std::string_view, std::uint32_t, Attempt>;
  bool ends_array(const JobChange& change) const {
    auto element = left_.upper_bound(JobId{change.id.job, 0});
    return change.id.index == 0 && element != left_.end() && element->job == change.id.job;
  }

  bool named_, is_stale_ = false;
  std::set<JobId> left_;
  std::map<JobId, Told> told_;
};

// How they stand now.
Result<void> list(client::Master& master, const JobSelection& selection, Board& board) {
  WM_TRY(auto reply, master.ask(JobsRequest{selection}));
  if (reply.jobs.empty() && !selection.ids.empty())
    return fail(Code::NotFound, "Job <" + to_string(selection.ids[0]) + "> is not found");
  for (const auto& view : reply.jobs) board.tell(as_change(view));
  return {};
}

}  // namespace

std::string change_heading() {
  return line({"TIME", "JOBID", "STAT", "SLOTS", "USER", "QUEUE", "JOB_NAME"});
}

std::string change_line(const JobChange& change) {
  return line({clock_text(change.at), to_string(change.id), std::string(lsf_state(change.state)),
               std::to_string(change.slots), change.user, change.queue,
               change.name.empty() ? "-" : view::printable(change.name)});
}

Result<void> watch_jobs(client::Master& master, const JobSelection& selection, bool heading) {
  WatchRequest request{{selection.ids, selection.user, selection.queue}, {}, kPatience};
  Board board(!selection.ids.empty());
  if (heading) say(change_heading());
  while (true) {
    if (!request.after) {
      WM_TRY(auto now, master.ask(request));
      request.after = now.seen;
      WM_TRY(list(master, selection, board));
    }
    if (board.is_done()) return {};
    WM_TRY(auto reply, master.ask(request));
    request.after = reply.missed ? Seq{} : reply.seen;
    for (const auto& change : reply.changes) board.tell(change);
    if (board.take_stale()) WM_TRY(list(master, selection, board));
  }
}

}  // namespace wm::cmd
