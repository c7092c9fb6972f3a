// move: what its header promises.
#include "commands/common/move.h"

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "commands/common/selection.h"

namespace wm::cmd {
namespace {

Result<int> run(bool top, const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "a job ID is wanted");
  WM_TRY(auto selection, select_jobs(options));
  MoveRequest request;
  request.jobs = selection.ids;
  request.top = top;
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.move(request));
  return tell(reply);
}

}  // namespace

int move_main(bool top, int argc, char** argv) {
  const Command command{.name = top ? "btop" : "bbot",
                        .synopsis = top ? "btop job_id[[index]] ..." : "bbot job_id[[index]] ...",
                        .acts = true};
  return main_of(command, argc, argv, [top](const Parsed& options) { return run(top, options); });
}

}  // namespace wm::cmd
