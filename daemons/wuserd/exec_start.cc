// POST /execs, step by step: request key → upload on disk → code laid out → bsub's words → record →
// job. What fails before the job is there takes its files away again.
#include <sodium.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "daemons/wuserd/execs.h"
#include "daemons/wuserd/modules.h"
#include "daemons/wuserd/submit.h"
#include "daemons/wuserd/upload.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

/// One lock per request key: the second of two equal requests waits for what becomes of the first.
class KeyLocks {
 public:
  std::unique_lock<std::mutex> lock(const std::string& key) {
    std::shared_ptr<std::mutex> own;
    {
      std::lock_guard guard(mutex_);
      auto& slot = locks_[key];
      if (!slot) slot = std::make_shared<std::mutex>();
      own = slot;
    }
    return std::unique_lock(*own);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<std::mutex>> locks_;
};

std::string hex(const unsigned char* bytes, std::size_t size) {
  std::string text(size * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, size);
  text.pop_back();
  return text;
}

// A name for the request's files; a random one where the client gives no key.
std::string request_name(std::string_view key) {
  unsigned char bytes[16];
  if (key.empty()) randombytes_buf(bytes, sizeof bytes);
  else
    crypto_generichash(bytes, sizeof bytes, reinterpret_cast<const unsigned char*>(key.data()),
                       key.size(), nullptr, 0);
  return hex(bytes, sizeof bytes);
}

/// Takes a request's files away unless they are to stay.
class Draft {
 public:
  Draft(Site& site, std::string request) : site_(site), request_(std::move(request)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ec;
    fs::remove_all(uploads(), ec);
    if (!stays_) (void)site_.records.remove(request_);
  }
  std::string uploads() const { return site_.records.code_dir(request_) + ".upload"; }
  const std::string& request() const { return request_; }
  void stay() { stays_ = true; }

 private:
  Site& site_;
  std::string request_;
  bool stays_ = false;
};

Result<bool> has_gpus(Site& site) {
  WM_TRY(auto master, site.masters.take());
  WM_TRY(auto reply, master->hosts({}));
  for (const auto& host : reply.hosts)
    if (!host.host.capacity.gpus.empty()) return true;
  return false;
}

Result<rest::ExecRequest> request_in(const Call& call, const Upload& upload) {
  auto args = call.target.value("args");
  auto data = upload.fields.find("data");
  if (args.empty() && data != upload.fields.end()) {
    WM_TRY(args, rest::args_in_data(data->second));
  }
  WM_TRY(auto request, rest::parse_exec(args));
  if (data != upload.fields.end()) WM_TRY(rest::add_exec_data(data->second, request));
  return request;
}

Result<rest::ExecPlace> place_of(Site& site, const rest::ExecRequest& request,
                                 const std::string& code_dir) {
  rest::ExecPlace place;
  WM_TRY(place.cwd, find_code(code_dir, request.model_dir, request.main));
  place.out_file = site.results_root + "/batchworkdir/%J/job.out";
  place.data_dir = site.conf.dirs.data;
  WM_TRY(place.gpus, has_gpus(site));
  return place;
}

// $RESULT_DIR/_submitted_code leads to the code, as scripts written for WMLA expect.
void link_code(Site& site, JobId job, const std::string& code_dir) {
  std::error_code ec;
  auto results = site.results_root + "/batchworkdir/" + std::to_string(job.job);
  fs::create_directories(results, ec);
  fs::create_directory_symlink(code_dir, results + "/_submitted_code", ec);
}

Result<rest::ExecRecord> submit_upload(Site& site, rest::ExecRequest request, const Upload& upload,
                                       Draft& draft) {
  request.plan = rest::plan_of(request.plan, site.conf.name);
  WM_TRY(auto framework, rest::find_framework(request.framework));
  if (!request.user_cmd) WM_TRY(need_module(framework));
  auto code_dir = site.records.code_dir(draft.request());
  WM_TRY(lay_out(upload, code_dir));
  WM_TRY(auto place, place_of(site, request, code_dir));
  WM_TRY(auto words, rest::bsub_words(request, framework, place));
  rest::ExecRecord record{request.args,
                          std::string(framework.name),
                          site.user,
                          place.cwd,
                          rest::shell_line(words),
                          draft.request(),
                          {},
                          request.workers,
                          framework.elastic};
  WM_TRY(site.records.keep(record));
  WM_TRY(auto reply, submit(site, words));
  draft.stay();
  record.job = reply.job;
  WM_TRY(site.records.keep(record));
  link_code(site, reply.job, code_dir);
  return record;
}

// The job of a request whose submission was not seen to its end: it tells by its cwd.
Result<std::optional<Exec>> begun_before(Site& site, const std::string& request) {
  auto record = site.records.of_request(request);
  if (!record) return std::optional<Exec>();
  WM_TRY(auto execs, all_execs(site));
  for (auto& exec : execs)
    if (exec.record.request == request) return std::optional(std::move(exec));
  return std::optional<Exec>();
}

}  // namespace

Result<Exec> start_exec(Call& call) {
  static KeyLocks locks;
  auto key = call.exchange.head().field("idempotency-key");
  if (key.size() > 200) return fail(Code::BadArgument, "Idempotency-Key: longer than 200 bytes");
  auto request = request_name(key);
  auto lock = locks.lock(request);
  WM_TRY(auto before, begun_before(call.site, request));
  if (before) return std::move(*before);
  Draft draft(call.site, request);
  WM_TRY(auto upload, receive(call.exchange, draft.uploads()));
  WM_TRY(auto wanted, request_in(call, upload));
  WM_TRY(auto record, submit_upload(call.site, std::move(wanted), upload, draft));
  return find_exec(call.site, rest::exec_id(call.site.conf.name, record.job));
}

Result<Exec> start_stored(Site& site, const StoredCode& code) {
  WM_TRY(auto wanted, rest::parse_exec(code.args));
  Draft draft(site, request_name(""));
  std::error_code ec;
  fs::create_directories(draft.uploads(), ec);
  Upload upload;
  upload.files.push_back({draft.uploads() + "/1", code.name});
  fs::copy_file(code.path, upload.files.front().path, ec);
  if (ec) return fail(Code::System, code.path + ": " + ec.message());
  WM_TRY(auto record, submit_upload(site, std::move(wanted), upload, draft));
  return find_exec(site, rest::exec_id(site.conf.name, record.job));
}

}  // namespace wm::user
