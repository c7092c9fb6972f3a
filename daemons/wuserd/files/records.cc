#include "daemons/wuserd/files/records.h"

#include <filesystem>
#include <fstream>

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKnown = 100000;

}  // namespace

bool Records::is_deleted(const std::string& bundle) {
  std::lock_guard lock(mutex_);
  if (deleted_.contains(bundle)) return true;
  if (alive_.contains(bundle)) return false;
  std::error_code ec;
  bool gone = fs::exists(mark(bundle), ec);
  if (alive_.size() > kMostKnown) alive_.clear();
  (gone ? deleted_ : alive_).insert(bundle);
  return gone;
}

Result<void> Records::mark_deleted(const std::string& bundle) {
  if (!std::ofstream(mark(bundle))) return fail(Code::System, mark(bundle) + ": cannot be written");
  WM_TRY(remove_files(bundle));
  std::lock_guard lock(mutex_);
  alive_.erase(bundle);
  deleted_.insert(bundle);
  return {};
}

Result<void> Records::remove_files(const std::string& bundle) {
  if (bundle.empty()) return {};
  std::error_code ec;
  fs::remove_all(code_dir(bundle), ec);
  if (ec) return fail(Code::System, code_dir(bundle) + ": " + ec.message());
  // What was fetched for it alone is nobody's then: wmfetch(1) removes it from the cache in time.
  auto data = (fs::path(incoming_).parent_path() / "data" / bundle).string();
  for (const char* end : {"", ".log", ".progress"}) fs::remove(data + end, ec);
  return {};
}

}  // namespace wm::user
