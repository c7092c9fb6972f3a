// bgdel: removes job groups that have no job.
#include "commands/common/command.h"
#include "commands/common/job_names.h"

namespace wm::cmd {
namespace {

constexpr Option kOptions[] = {
    {"u", Option::Kind::Ignored, "", ""},

};

Result<int> run(const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "bgdel: a job group is wanted");
  WM_TRY(auto to, master());
  int code = 0;
  for (const auto& word : options.words) {
    GroupRequest request;
    request.act = GroupRequest::Act::Remove;
    WM_TRY(request.path, parse_job_group(word));

    if (auto reply = to.group(request)) {
      say("Job group <" + request.path + "> was deleted.\n");
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
  return main_of(
      {.name = "bgdel", .synopsis = "bgdel /group ...", .options = kOptions, .acts = true}, argc,
      argv, run);
}
