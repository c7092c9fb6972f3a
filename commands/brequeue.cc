// brequeue: attempts that run are ended, and their jobs wait again under the same number. Every job
// is answered on its own.
#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "commands/common/selection.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr auto kOptions = with_selecting({
    {"r", Kind::Flag, "", "Those that run: what it does anyway"},
    {"a", Kind::Refused, "", "only jobs that run can be queued again, those that are over not"},
    {"d", Kind::Refused, "", "only jobs that run can be queued again, those that are over not"},
    {"e", Kind::Refused, "", "only jobs that run can be queued again, those that are over not"},
    {"H", Kind::Refused, "", "bstop holds the job once it waits"},
    {"p", Kind::Refused, "", "bstop and bresume act on jobs that wait"},
});

Result<int> run(const Parsed& options) {
  if (!selects(options))
    return fail(Code::BadArgument, "brequeue: job ID or one of -J -u -q -m -P -app is wanted");
  RequeueRequest request;
  WM_TRY(request.jobs, select_jobs(options));
  if (request.jobs.ids.empty()) request.jobs.running_only = true;
  WM_TRY(auto to, master());
  WM_TRY(request.jobs, jobs_to_change(to, options, request.jobs));
  WM_TRY(auto reply, to.requeue(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({.name = "brequeue",
                  .synopsis = "brequeue [options] [job_id[[index]] ... | 0]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
