// bmig: has a job that runs start anew on other hosts: from its checkpoint, where it keeps one.
#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::bmig {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"m", Kind::Text, "\"host ...\"", "On these hosts or groups; without it on any but its own"},
    {"J", Kind::Text, "name", "Jobs of this name"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"f", Kind::IgnoredFlag, "", ""},
    {"p", Kind::Ignored, "", ""},
};

Result<int> run(const Parsed& options) {
  Parsed which = options;
  which.options.erase("m");
  if (!selects(which)) return fail(Code::BadArgument, "bmig: job ID or one of -J -u -q is wanted");
  MigrateRequest request;
  WM_TRY(request.jobs, select_jobs(which));
  std::string text = options.first("m").value_or("");
  for (std::size_t from = text.find_first_not_of(" ,"); from != text.npos;) {
    auto end = std::min(text.find_first_of(" ,", from), text.size());
    request.hosts.push_back(text.substr(from, end - from));
    from = text.find_first_not_of(" ,", end);
  }
  WM_TRY(auto to, master());
  WM_TRY(request.jobs, jobs_to_change(to, which, request.jobs));
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd::bmig

int main(int argc, char** argv) {
  using namespace wm::cmd::bmig;
  return main_of({.name = "bmig",
                  .synopsis = "bmig [-m \"host ...\"] [options] [job_id[[index]] ... | 0]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
