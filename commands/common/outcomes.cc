#include "commands/common/outcomes.h"

#include "commands/common/command.h"

namespace wm::cmd {

Result<int> tell(const OutcomeReply& reply) {
  if (reply.jobs.empty()) return fail(Code::NotFound, "No matching job found");
  int code = 0;
  for (const auto& job : reply.jobs) {
    if (job.code == 0) say(job.text + "\n");
    else complain(job.text + "\n");
    if (job.code != 0) code = kRefused;
  }
  return code;
}

}  // namespace wm::cmd
