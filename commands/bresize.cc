// bresize: gives tasks of a running elastic job back, or asks for more. It moves the job's
// cap; the scheduler decides when, and never goes above what is asked for here.
#include "commands/common/command.h"
#include "commands/common/resize_words.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"c", Kind::Flag, "", "request: forget an earlier request first"},
    {"rnc", Kind::Text, "command", "Tell the job of its size by this command from now on"},
    {"rncn", Kind::IgnoredFlag, "", ""},
};

Result<int> run(const Parsed& options) {
  WM_TRY(auto wish, parse_resize(options.words));
  auto& request = wish.request;
  request.notify_command = options.first("rnc").value_or("");
  if (wish.names_hosts)
    complain("bresize: hosts are only counted, which tasks leave is chosen by the scheduler\n");
  WM_TRY(auto to, master());
  if (options.has("c") && request.kind == ResizeRequest::Kind::Request) {
    WM_TRY(to.resize({.job = request.job, .kind = ResizeRequest::Kind::Cancel}));
  }
  WM_TRY(auto reply, to.resize(request));
  say("Job <" + to_string(request.job) + "> may have up to " + std::to_string(reply.cap) +
      " task(s) now\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({.name = "bresize",
                  .synopsis = "bresize [-c] release|request tasks job_id | bresize cancel job_id",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
