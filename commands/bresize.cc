// bresize: gives tasks of a running elastic job back, or asks for more. It moves the job's
// cap; the scheduler decides when, and never goes above what is asked for here.
#include "commands/common/command.h"
#include "commands/common/resize_words.h"
#include "libwm/codec/codec.h"

namespace wm::cmd::bresize {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"c", Kind::Flag, "", "request: forget an earlier request first"},
    {"rnc", Kind::Text, "command", "Tell the job of its size by this command from now on"},
    {"rncn", Kind::IgnoredFlag, "", ""},
};

// Hosts run as the user only what the user signed: the command is signed as a changed job is.
Result<void> notify_by(client::Master& to, JobId job, const std::string& command) {
  WM_TRY(auto was, to.ask(SpecRequest{job}));
  WM_TRY(auto spec, codec::decode<JobSpec>(was.spec));
  if (spec.side.notify == command) return {};
  spec.side.notify = command;
  WM_TRY(auto reply, to.modify(job, was.revision, spec));
  for (const auto& outcome : reply.jobs)
    if (outcome.code) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto wish, parse_resize(options.words));
  auto& request = wish.request;
  if (wish.names_hosts)
    complain("bresize: hosts are only counted, which tasks leave is chosen by the scheduler\n");
  WM_TRY(auto to, master());
  if (auto command = options.first("rnc")) WM_TRY(notify_by(to, request.job, *command));
  if (options.has("c") && request.kind == ResizeRequest::Kind::Request) {
    WM_TRY(to.ask(ResizeRequest{.job = request.job, .kind = ResizeRequest::Kind::Cancel}));
  }
  WM_TRY(auto reply, to.ask(request));
  auto whose = request.group.empty() ? "" : ": group <" + request.group + ">";
  say("Job <" + to_string(request.job) + ">" + whose + " may have up to " +
      std::to_string(reply.cap) + " task(s) now\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bresize

int main(int argc, char** argv) {
  using namespace wm::cmd::bresize;
  return main_of(
      {.name = "bresize",
       .synopsis = "bresize [-c] release|request tasks job_id | group=tasks job_id | cancel job_id",
       .options = kOptions,
       .acts = true},
      argc, argv, run);
}
