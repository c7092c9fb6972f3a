// bgmod: changes the limit of a job group.
#include "commands/common/command.h"
#include "commands/common/group_limits.h"
#include "commands/common/job_names.h"

namespace wm::cmd {
namespace {

constexpr Option kOptions[] = {
    {"L", Option::Kind::Text, "n", "Jobs of it and the groups below it that may run at a time"},
    {"Ln", Option::Kind::Flag, "", "Any number of them"},
};

Result<int> run(const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "bgmod: a job group is wanted");
  WM_TRY(auto to, master());
  int code = 0;
  for (const auto& word : options.words) {
    GroupRequest request;
    request.act = GroupRequest::Act::Modify;
    WM_TRY(request.path, parse_job_group(word));
    WM_TRY(read_group_limit(options, request));
    if (auto reply = to.group(request)) {
      say("Job group <" + request.path + "> was modified.\n");
      continue;
    } else {
      complain(reply.error().text + "\n");
      code = kRefused;
    }
  }
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({.name = "bgmod",
                  .synopsis = "bgmod {-L n | -Ln} /group ...",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
