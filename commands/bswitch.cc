// bswitch: puts waiting jobs into another queue. Every job is answered on its own; one that
// could not go makes the exit code 255, the others go all the same.
#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::bswitch {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"g", Kind::Text, "/group", "Jobs of this job group and those below it"},
    {"sla", Kind::Text, "class", "Jobs of this service class"},
};

Result<int> run(const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "bswitch: a queue is wanted");
  Parsed which = options;
  which.words.erase(which.words.begin());
  if (!selects(which))
    return fail(Code::BadArgument, "bswitch: job ID or one of -J -u -q -P -app -g -sla is wanted");
  SwitchRequest request;
  WM_TRY(request.jobs, select_jobs(which));
  request.jobs.pending_only = request.jobs.ids.empty();
  request.queue = options.words.front();
  WM_TRY(auto to, master());
  WM_TRY(request.jobs, jobs_to_change(to, which, request.jobs));
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd::bswitch

int main(int argc, char** argv) {
  using namespace wm::cmd::bswitch;
  return main_of({.name = "bswitch",
                  .synopsis = "bswitch [options] queue [job_id[[index]] ... | 0]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
