// hold: what its header promises, smallest pieces first.
#include "commands/common/hold.h"

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/selection.h"

namespace wm::cmd {
namespace {

Result<int> hold_jobs(bool hold, const Parsed& options) {
  if (!selects(options))
    return fail(Code::BadArgument, "job ID or one of -J -u -q -m -P -app is wanted");
  ReleaseRequest request;
  request.hold = hold;
  WM_TRY(request.jobs, select_jobs(options));
  WM_TRY(auto to, master());
  WM_TRY(request.jobs, jobs_to_change(to, options, request.jobs));
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace

int hold_main(bool hold, int argc, char** argv) {
  const Command command{.name = hold ? "bstop" : "bresume",
                        .synopsis = hold ? "bstop [options] [job_id[[index]] ... | 0]"
                                         : "bresume [options] [job_id[[index]] ... | 0]",
                        .options = kSelecting,
                        .acts = true};
  return main_of(command, argc, argv,
                 [hold](const Parsed& options) { return hold_jobs(hold, options); });
}

}  // namespace wm::cmd
