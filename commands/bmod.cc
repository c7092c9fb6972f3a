// bmod: a job that has not started asks for something else: what was submitted is fetched, changed
// by libwm/submit/modification, signed and sent back. Nobody else's change is undone by it: the
// master takes it only for what was fetched. A run limit by itself is simply named: that of
// jobs that run, or are another's, can be changed as well.
#include <unistd.h>

#include <chrono>
#include <climits>

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/base/clock.h"
#include "libwm/codec/codec.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/modification.h"
#include "libwm/submit/sign_again.h"

namespace wm::cmd::bmod {
namespace {

Surroundings surroundings(const LsfConf& lsf) {
  Surroundings here;
  here.limit_unit = lsf.limit_unit();
  here.mem_unit = lsf.mem_unit();
  char text[PATH_MAX] = "";
  if (::getcwd(text, sizeof text)) here.cwd = text;
  here.now = wall_now();
  return here;
}

// One job, so that why it was not changed is the command's own error.
Result<int> told(const OutcomeReply& reply) {
  for (const JobOutcome& job : reply.jobs)
    if (job.code != 0) return fail(static_cast<Code>(job.code), job.text);
  return tell(reply);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (ids.size() != 1) return fail(Code::BadArgument, "bmod: one job ID is wanted");
  WM_TRY(auto to, master());
  WM_TRY(auto limit, run_limit_alone(options));
  if (limit) {
    LimitRequest request;
    request.jobs.ids = ids;
    request.limit = *limit;
    WM_TRY(auto reply, to.ask(request));
    return told(reply);
  }
  WM_TRY(auto submitted, to.ask(SpecRequest{ids.front()}));
  WM_TRY(auto spec, codec::decode<JobSpec>(submitted.spec));
  WM_TRY(auto conf, cluster_conf());
  bool only_signs = options.has("sign") && options.options.size() == 1;
  auto here = surroundings(conf.lsf);
  if (!only_signs) WM_TRY(change_spec(options, here, spec));
  WM_TRY(auto done, modify_signed(to, ids.front(), submitted.revision, std::move(spec), here));
  if (!done.changed.empty()) complain("bmod: " + done.changed + "\n");
  return tell(done.reply);
}

}  // namespace
}  // namespace wm::cmd::bmod

int main(int argc, char** argv) {
  using namespace wm::cmd;
  using namespace wm::cmd::bmod;
  const Command command{.name = "bmod",
                        .synopsis = "bmod [options] job_id[[index]]",
                        .options = modify_options(),
                        .refusal = " Job not modified.",
                        .acts = true};
  return main_of(command, argc, argv, run);
}
