// The row of /api/v1 that begins an execution once more: with the code that it ran, with its words
// or others, from the start or from its newest checkpoint.
#include <filesystem>

#include "daemons/wuserd/execs/exec_start.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/checkpoints.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/rest/again.h"
#include "libwm/rest/exec_json.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

// Where its code is: with its results once it has started, of several groups with the first.
Result<std::string> code_of(Site& site, const JobView& view) {
  std::error_code ec;
  const auto& bundle = view.job->sealed->spec.exec.bundle;
  for (const auto& folder : {view.result_dir + "/_submitted_code",
                             view.result_dir + ".1/_submitted_code", site.records.code_dir(bundle)})
    if (!bundle.empty() && fs::is_directory(folder, ec)) return folder;
  return fail(Code::NotFound, "its code is not there any more: clone it, and choose the code anew");
}

struct AgainWish {
  std::string args;
  bool resumes = false;
};

Result<AgainWish> again_wish(Call& call, const JobView& view) {
  WM_TRY(auto json, json_in(call));
  AgainWish wish;
  WM_TRY(wish.args, text_in(json, "args"));
  if (wish.args.empty()) wish.args = view.job->sealed->spec.exec.args;
  auto resumes = json.find("resume");
  if (resumes == json.end()) return wish;
  if (!resumes->is_boolean()) return fail(Code::BadArgument, "resume: true or false is wanted");
  wish.resumes = resumes->get<bool>();
  if (wish.resumes && checkpoints_of(view.result_dir).empty())
    return fail(Code::Conflict, "resume: it has no checkpoint");
  return wish;
}

// Body: {"args": "…", "resume": true}. An equal Idempotency-Key begins one.
Result<Answer> run_again(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  if (!rest::is_execution(view) || view.id.index != 0)
    return fail(Code::Conflict,
                "job " + call.args[0] + " is no execution: its bsub line begins it");
  WM_TRY(auto wish, again_wish(call, view));
  auto code = [&]() -> Result<FolderCode> {
    WM_TRY(auto folder, code_of(call.site, view));
    auto from = wish.resumes ? std::to_string(view.id.job) : std::string();
    WM_TRY(auto request,
           rest::request_again(view.job->sealed->spec, rest::again_args(wish.args, from)));
    request.labels["again"] = to_string(view.id);
    return FolderCode{folder, std::move(request)};
  };
  WM_TRY(auto began, start_folder(call, code));
  return json_reply("{\"id\":" + rest::json_text(to_string(began.id)) + "}", 201);
}

}  // namespace

const std::vector<Route>& again_routes() {
  static const std::vector<Route> routes{
      {"POST", "/api/v1/jobs/{id}/again", run_again,
       "Begins an execution with the same code: args, if others are wanted; resume: from its "
       "newest "
       "checkpoint",
       "begun_again"},
  };
  return routes;
}

}  // namespace wm::user
