// POST /execs, step by step: request key → upload on disk → code laid out as a bundle → the
// request of a job → job.
#include "daemons/wuserd/execs/exec_start.h"

#include <fcntl.h>

#include <chrono>
#include <filesystem>

#include "daemons/wuserd/execs/draft.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/submit.h"
#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/files/fd.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

Result<rest::ExecRequest> exec_request_in(const Call& call, const Upload& upload) {
  auto args = call.target.value("args");
  auto data = upload.fields.find("data");
  if (args.empty() && data != upload.fields.end()) {
    WM_TRY(args, rest::args_in_data(data->second));
  }
  WM_TRY(auto request, rest::parse_exec(args));
  if (data != upload.fields.end()) WM_TRY(rest::add_exec_data(data->second, request));
  return request;
}

Result<JobId> submit_upload(Site& site, rest::ExecRequest request, const Upload& upload,
                            Draft& draft) {
  WM_TRY(auto prepared, prepare(site, std::move(request), upload, draft, "%J/job.out"));
  WM_TRY(auto reply,
         prepared.groups.empty()
             ? submit(site, prepared.job, std::move(prepared.exec))
             : submit_groups(site, prepared.job,
                             {std::move(prepared.groups), std::move(prepared.exec), {}}));
  draft.stay();
  return reply.job;
}

// An execution that was refused leaves a record; a request that cannot be read is none.
template <class Began>
Result<JobView> or_refused(Site& site, const rest::ExecRequest& wanted, Began began) {
  auto job = began();
  if (job) return find_exec(site, exec_id(site.conf.name, *job));
  auto kept = site.refused.add(wanted, site.user, job.error().text, now_s());
  if (!kept) log::warn("refusal_not_kept", {{"why", kept.error().text}});
  return job.error();
}

// The execution that an earlier request with the same key began: it has the bundle of that name.
Result<std::optional<JobView>> exec_begun_before(Site& site, const std::string& bundle) {
  std::optional<JobView> found;
  RunQuery query;
  query.bundle = bundle;
  WM_TRY(each_exec(site, query, [&](JobView& exec) {
    found = std::move(exec);
    return false;
  }));
  return found;
}

}  // namespace

Result<JobView> start_exec(Call& call) {
  WM_TRY(auto key, key_of(call));
  auto request = request_name(key);
  auto lock = lock_request(request);
  if (!key.empty()) {
    WM_TRY(auto before, exec_begun_before(call.site, request));
    if (before) return std::move(*before);
  }
  Draft draft(call.site, request);
  WM_TRY(auto upload, receive(call.exchange, draft.uploads()));
  WM_TRY(auto wanted, exec_request_in(call, upload));
  return or_refused(call.site, wanted,
                    [&] { return submit_upload(call.site, wanted, upload, draft); });
}

Result<JobView> start_stored(Site& site, const StoredCode& code) {
  WM_TRY(auto wanted, rest::parse_exec(code.args));
  if (!code.data.empty()) WM_TRY(rest::add_exec_data(code.data, wanted));
  for (const auto& [key, value] : code.labels) wanted.labels[key] = value;
  Draft draft(site, request_name(""));
  std::error_code ec;
  fs::create_directories(draft.uploads(), ec);
  Upload upload;
  upload.files.push_back({draft.uploads() + "/1", code.name});
  fs::copy_file(code.path, upload.files.front().path, ec);
  if (ec) return fail(Code::System, code.path + ": " + ec.message());
  return or_refused(site, wanted, [&] { return submit_upload(site, wanted, upload, draft); });
}

namespace {

// What lies there as one file that a request might have brought.
Result<Upload> packed(const std::string& folder, const Draft& draft) {
  std::error_code ec;
  fs::create_directories(draft.uploads(), ec);
  auto path = draft.uploads() + "/1";
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return system_error(path);
  WM_TRY(zip_folder(folder, {"__pycache__"}, file.get()));
  Upload upload;
  upload.files.push_back({path, "code.zip"});
  return upload;
}

}  // namespace

Result<JobView> start_folder(Call& call, const std::function<Result<FolderCode>()>& code) {
  WM_TRY(auto key, key_of(call));
  auto request = request_name(key);
  auto lock = lock_request(request);
  if (!key.empty()) {
    WM_TRY(auto before, exec_begun_before(call.site, request));
    if (before) return std::move(*before);
  }
  WM_TRY(auto found, code());
  Draft draft(call.site, request);
  WM_TRY(auto upload, packed(found.folder, draft));
  return or_refused(call.site, found.request,
                    [&] { return submit_upload(call.site, found.request, upload, draft); });
}

}  // namespace wm::user
