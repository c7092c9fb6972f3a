// bchkpnt: has a checkpointable job (bsub -k) write a checkpoint: WM's trainer by a signal, others
// by the site's program echkpnt.METHOD, which is run on the job's first host in its part of the
// job.
#include <signal.h>
#include <sys/wait.h>

#include "commands/common/command.h"
#include "commands/common/interactive.h"
#include "commands/common/outcomes.h"
#include "libwm/client/launch.h"
#include "libwm/model/exec_id.h"
#include "libwm/submit/checkpoints.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::bchkpnt {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"k", Kind::Flag, "", "End the job when its checkpoint is written"},
    {"f", Kind::IgnoredFlag, "", ""},
    {"p", Kind::Ignored, "", ""},
};

// The program makes its folder, and is given the job's first process.
Result<int> run_site_program(client::Master& to, JobId job, const Checkpoint& how, bool kills) {
  AttachRequest request{job, {}, {}};
  WM_TRY(auto where, find_door(to, request));
  LaunchStart start;
  start.pid = where.pid;
  start.argv = {"/bin/sh",
                "-c",
                "mkdir -p -- \"$1\" && exec \"echkpnt.$2\" $4 -d \"$1\" \"$3\"",
                "echkpnt",
                how.dir + "/" + id_part(job),
                how.method,
                std::to_string(where.pid),
                kills ? "-k" : "-c"};
  WM_TRY(auto ended, converse(where, start, false));
  if (ended.refused) return fail(Code::Unavailable, "bchkpnt: " + ended.text);
  int code = WIFSIGNALED(ended.status) ? 128 + WTERMSIG(ended.status) : WEXITSTATUS(ended.status);
  if (code != 0)
    return fail(Code::Conflict, "Job <" + to_string(job) + ">: echkpnt." + how.method +
                                    " exited with " + std::to_string(code));
  say("Job <" + to_string(job) + "> is checkpointed\n");
  return 0;
}

Result<int> tell_trainer(client::Master& to, JobId job, bool kills) {
  KillRequest request;
  request.jobs.ids = {job};
  request.signal = kills ? SIGTERM : SIGUSR1;  // a trainer that is ended writes one first
  WM_TRY(auto reply, to.ask(request));
  bool refused = !reply.jobs.empty() && reply.jobs.front().code != 0;
  if (refused) return tell(reply);
  say("Job <" + to_string(job) + "> is being checkpointed\n");
  return 0;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (ids.empty()) return fail(Code::BadArgument, "bchkpnt: a job ID is wanted");
  WM_TRY(auto to, master());
  int code = 0;
  for (JobId id : ids) {
    WM_TRY(auto how, checkpoint_of(to, id));
    bool trainer = how.method.empty() || how.method == "wm";
    WM_TRY(int one, trainer ? tell_trainer(to, id, options.has("k"))
                            : run_site_program(to, id, how, options.has("k")));
    code = std::max(code, one);
  }
  return code;
}

}  // namespace
}  // namespace wm::cmd::bchkpnt

int main(int argc, char** argv) {
  using namespace wm::cmd::bchkpnt;
  return main_of({.name = "bchkpnt",
                  .synopsis = "bchkpnt [-k] job_id[[index]] ...",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
