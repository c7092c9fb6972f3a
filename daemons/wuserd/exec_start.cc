// POST /execs, step by step: request key → upload on disk → code laid out as a bundle → bsub's
// words → job. What fails before the job is there takes its files away again.
#include <sodium.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "daemons/wuserd/execs.h"
#include "daemons/wuserd/modules.h"
#include "daemons/wuserd/submit.h"
#include "daemons/wuserd/upload.h"
#include "libwm/client/bundle.h"
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
  if (key.empty()) return client::new_bundle_key();
  unsigned char bytes[16];
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
    if (!stays_) fs::remove_all(site_.records.code_dir(request_), ec);
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

Result<rest::ExecPlace> place_of(Site& site) {
  rest::ExecPlace place;
  place.out_file = site.results_root + "/batchworkdir/%J/job.out";
  place.data_dir = site.conf.dirs.data;
  WM_TRY(place.gpus, has_gpus(site));
  return place;
}

std::string text_of(const std::string& path) {
  constexpr std::streamsize kMost = 1 << 20;
  std::string text(kMost, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), kMost);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Execution execution_of(const rest::ExecRequest& request, const rest::Framework& framework,
                       const std::string& bundle, const std::string& folder) {
  Execution exec;
  exec.args = request.args;
  exec.framework = framework.name;
  exec.bundle = bundle;
  exec.bundle_dir = folder;
  exec.data = request.sources;
  exec.labels = request.labels;
  exec.pending_limit = std::chrono::seconds(request.pending_timeout_s);
  return exec;
}

Result<JobId> submit_upload(Site& site, rest::ExecRequest request, const Upload& upload,
                            Draft& draft) {
  request.plan = rest::plan_of(request.plan, site.conf.name);
  WM_TRY(auto framework, rest::find_framework(request.framework));
  if (!request.user_cmd) WM_TRY(need_module(framework));
  auto code_dir = site.records.code_dir(draft.request());
  WM_TRY(lay_out(upload, code_dir));
  WM_TRY(auto folder, find_code(code_dir, request.model_dir, request.main));
  rest::give_worker_words(text_of(folder + "/" + request.main), framework, request);
  WM_TRY(auto place, place_of(site));
  WM_TRY(auto words, rest::bsub_words(request, framework, place));
  auto inside = folder == code_dir ? "" : folder.substr(code_dir.size() + 1);
  WM_TRY(auto reply,
         submit(site, words, execution_of(request, framework, draft.request(), inside)));
  draft.stay();
  return reply.job;
}

// The execution that an earlier request with the same key began: it has the bundle of that name.
Result<std::optional<JobView>> begun_before(Site& site, const std::string& bundle) {
  WM_TRY(auto execs, all_execs(site));
  for (auto& exec : execs)
    if (exec.job->spec().exec.bundle == bundle) return std::optional(std::move(exec));
  return std::optional<JobView>();
}

}  // namespace

Result<JobView> start_exec(Call& call) {
  static KeyLocks locks;
  auto key = call.exchange.head().field("idempotency-key");
  if (key.size() > 200) return fail(Code::BadArgument, "Idempotency-Key: longer than 200 bytes");
  auto request = request_name(key);
  auto lock = locks.lock(request);
  if (!key.empty()) {
    WM_TRY(auto before, begun_before(call.site, request));
    if (before) return std::move(*before);
  }
  Draft draft(call.site, request);
  WM_TRY(auto upload, receive(call.exchange, draft.uploads()));
  WM_TRY(auto wanted, request_in(call, upload));
  WM_TRY(auto job, submit_upload(call.site, std::move(wanted), upload, draft));
  return find_exec(call.site, exec_id(call.site.conf.name, job));
}

Result<JobView> start_stored(Site& site, const StoredCode& code) {
  WM_TRY(auto wanted, rest::parse_exec(code.args));
  Draft draft(site, request_name(""));
  std::error_code ec;
  fs::create_directories(draft.uploads(), ec);
  Upload upload;
  upload.files.push_back({draft.uploads() + "/1", code.name});
  fs::copy_file(code.path, upload.files.front().path, ec);
  if (ec) return fail(Code::System, code.path + ": " + ec.message());
  WM_TRY(auto job, submit_upload(site, std::move(wanted), upload, draft));
  return find_exec(site, exec_id(site.conf.name, job));
}

}  // namespace wm::user
