// bkill: ends jobs, or sends them a signal; without a number the newest that fits. Every id is
// answered on its own; one that could not be ended makes the exit code 255, the others are ended
// all the same.
#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/base/signals.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::bkill {
namespace {

using Kind = Option::Kind;

constexpr auto kOptions = with_selecting({
    {"s", Kind::Text, "signal", "Send this signal instead of ending the job"},
    {"r", Kind::Flag, "", "End the job at once, without time to clean up"},
    {"d", Kind::Flag, "", "Let the job count as done"},
    {"C", Kind::Text, "reason", "Why, kept with the job"},
    {"stat", Kind::Text, "run|pend|susp", "Jobs in this state"},
    {"l", Kind::Flag, "", "List the signals"},
    {"b", Kind::IgnoredFlag, "", ""},
});

Result<KillRequest> request_of(const Parsed& options) {
  KillRequest request;
  WM_TRY(request.jobs, select_jobs(options));
  if (auto signal = options.first("s")) {
    WM_TRY(request.signal, parse_signal(*signal));
  }
  request.force = options.has("r");
  request.mark_done = options.has("d");
  request.reason = options.first("C").value_or("");
  if (auto state = options.first("stat")) {
    WM_TRY(select_state(*state, request.jobs));
  }
  return request;
}

Result<int> run(const Parsed& options) {
  if (options.has("l")) {
    say(signal_names() + "\n");
    return 0;
  }
  if (!selects(options))
    return fail(Code::BadArgument, "bkill: job ID or one of -J -u -q -m -P -app -stat is wanted");
  WM_TRY(auto request, request_of(options));
  WM_TRY(auto to, master());
  WM_TRY(request.jobs, jobs_to_change(to, options, request.jobs));
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd::bkill

int main(int argc, char** argv) {
  using namespace wm::cmd::bkill;
  return main_of({.name = "bkill",
                  .synopsis = "bkill [options] [job_id[[index]] ... | 0]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
