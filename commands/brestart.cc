// brestart: has a checkpointable job (bsub -k) that is over start again from its checkpoint, under
// its number.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/checkpoints.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::brestart {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"H", Kind::Flag, "", "Hold it until bresume"},
    {"f", Kind::IgnoredFlag, "", ""},
};

Result<int> run(const Parsed& options) {
  if (options.words.empty() || options.words.size() > 2)
    return fail(Code::BadArgument, "brestart: [checkpoint_dir] job_id is wanted");
  WM_TRY(auto ids, parse_job_ids({&options.words.back(), 1}));
  WM_TRY(auto to, master());
  WM_TRY(auto how, checkpoint_of(to, ids.front()));
  bool other = options.words.size() == 2 && !how.dir.ends_with(options.words.front());
  if (other)
    return fail(Code::NotFound, options.words.front() + ": Job <" + to_string(ids.front()) +
                                    "> keeps its checkpoints in " + how.dir);
  RequeueRequest request;
  request.jobs.ids = ids;
  request.done = request.exited = true;
  request.hold = options.has("H");
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace
}  // namespace wm::cmd::brestart

int main(int argc, char** argv) {
  using namespace wm::cmd::brestart;
  return main_of({.name = "brestart",
                  .synopsis = "brestart [-H] [checkpoint_dir] job_id[[index]]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
