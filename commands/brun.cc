// brun: starts a pending job at once on hosts named, its turn and limits aside.
#include "commands/common/command.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::brun {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"m", Kind::Text, "\"host ...\"", "On these hosts or groups of hosts"},
    {"f", Kind::IgnoredFlag, "", ""},
    {"b", Kind::IgnoredFlag, "", ""},
};

Result<int> run(const Parsed& options) {
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (ids.size() != 1) return fail(Code::BadArgument, "brun: one job ID is wanted");
  RunNowRequest request;
  request.job = ids.front();
  std::string text = options.first("m").value_or("");
  for (std::size_t from = text.find_first_not_of(" ,"); from != text.npos;) {
    auto end = std::min(text.find_first_of(" ,", from), text.size());
    request.hosts.push_back(text.substr(from, end - from));
    from = text.find_first_not_of(" ,", end);
  }
  if (request.hosts.empty()) return fail(Code::BadArgument, "brun: -m \"host ...\" is wanted");
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  say("Job <" + to_string(request.job) + "> is being forced to run.\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::brun

int main(int argc, char** argv) {
  using namespace wm::cmd::brun;
  return main_of({.name = "brun",
                  .synopsis = "brun -m \"host ...\" job_id[[index]]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
