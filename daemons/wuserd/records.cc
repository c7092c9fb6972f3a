#include "daemons/wuserd/records.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace wm::user {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& path, const std::string& why) {
  return fail(Code::System, path + ": " + why);
}

// The request whose code `cwd` lies in.
std::string request_of(const std::string& cwd, const std::string& incoming) {
  if (!cwd.starts_with(incoming + "/")) return "";
  auto rest = cwd.substr(incoming.size() + 1);
  return rest.substr(0, rest.find('/'));
}

}  // namespace

std::optional<rest::ExecRecord> Records::of_request(const std::string& request) {
  std::lock_guard lock(mutex_);
  if (auto found = known_.find(request); found != known_.end()) return found->second;
  std::ifstream in(path(request), std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  auto record = rest::parse_record(text);
  if (!record) return std::nullopt;
  known_[request] = *record;
  return *record;
}

std::optional<rest::ExecRecord> Records::of_job(const JobView& view) {
  auto request = request_of(view.job->spec().cwd, incoming_);
  if (request.empty()) return std::nullopt;
  return of_request(request);
}

Result<void> Records::keep(const rest::ExecRecord& record) {
  auto final_path = path(record.request), draft = final_path + ".new";
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out << rest::to_text(record);
    if (!out.flush()) return failed(draft, std::strerror(errno));
  }
  std::error_code ec;
  fs::rename(draft, final_path, ec);
  if (ec) return failed(final_path, ec.message());
  std::lock_guard lock(mutex_);
  known_[record.request] = record;
  return {};
}

Result<void> Records::remove(const std::string& request) {
  std::error_code ec;
  fs::remove_all(code_dir(request), ec);
  if (!ec) fs::remove(path(request), ec);
  std::lock_guard lock(mutex_);
  known_.erase(request);
  if (ec) return failed(code_dir(request), ec.message());
  return {};
}

}  // namespace wm::user
