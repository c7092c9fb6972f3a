// brequeue: attempts that run are ended, and their jobs wait again under the same number; so do
// jobs that are over, with -a, -d and -e. Every job is answered on its own.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::brequeue {
namespace {

using Kind = Option::Kind;

constexpr auto kOptions = with_selecting({
    {"r", Kind::Flag, "", "Those that run: what it does without -a, -d, -e"},
    {"a", Kind::Flag, "", "Those that run and those that are over"},
    {"d", Kind::Flag, "", "Those that are done"},
    {"e", Kind::Flag, "", "Those that have exited"},
    {"H", Kind::Flag, "", "Hold them until bresume"},
    {"p", Kind::Refused, "", "bstop and bresume act on jobs that wait"},
});

RequeueRequest request_of(const Parsed& options) {
  RequeueRequest request;
  bool all = options.has("a");
  request.active = all || options.has("r");
  request.done = all || options.has("d");
  request.exited = all || options.has("e");
  request.hold = options.has("H");
  return request;
}

bool is_meant(const RequeueRequest& request, const JobView& view) {
  auto state = view.job->state;
  if (state == JobState::Finished) return request.done;
  if (is_over(state)) return request.exited;
  return request.means_active() && state != JobState::Pending && state != JobState::Held &&
         state != JobState::Array;
}

// Without a number: the newest of those that are meant.
Result<void> take_newest(client::Master& to, RequeueRequest& request) {
  WM_TRY(auto reply, to.ask(JobsRequest{request.jobs}));
  std::erase_if(reply.jobs, [&](const JobView& view) { return !is_meant(request, view); });
  auto newest = newest_of(reply.jobs);
  if (!newest) return fail(Code::NotFound, "No matching job found");
  request.jobs.ids = {*newest};
  return {};
}

Result<int> run(const Parsed& options) {
  if (!selects(options))
    return fail(Code::BadArgument, "brequeue: job ID or one of -J -u -q -m -P -app is wanted");
  auto request = request_of(options);
  WM_TRY(request.jobs, select_jobs(options));
  request.jobs.finished = request.done || request.exited;
  request.jobs.unfinished = request.means_active();
  if (request.jobs.ids.empty() && !request.jobs.finished) request.jobs.running_only = true;
  WM_TRY(auto to, master());
  if (options.words.empty()) WM_TRY(take_newest(to, request));
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd::brequeue

int main(int argc, char** argv) {
  using namespace wm::cmd::brequeue;
  return main_of({.name = "brequeue",
                  .synopsis = "brequeue [options] [job_id[[index]] ... | 0]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
