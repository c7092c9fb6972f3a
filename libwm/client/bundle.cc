#include "libwm/client/bundle.h"

#include <filesystem>
#include <system_error>

#include "libwm/base/hash.h"

namespace wm::client {
namespace {

namespace fs = std::filesystem;

Error about(const fs::path& path, const std::error_code& error) {
  return fail(Code::System, path.string() + ": " + error.message());
}

// Anything else than files, folders and links has no copy.
Result<void> check_kinds(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    auto kind = at->symlink_status().type();
    bool plain = kind == fs::file_type::regular || kind == fs::file_type::directory ||
                 kind == fs::file_type::symlink;
    if (!plain)
      return fail(Code::BadArgument,
                  at->path().string() + ": is no file, folder or link; it cannot be copied");
  }
  if (error) return about(folder, error);
  return {};
}

}  // namespace

std::string incoming_folder(const std::string& results_root, const std::string& user) {
  return results_root + "/" + user + "/incoming";
}

Result<std::string> stage_bundle(const std::string& folder, const std::string& incoming) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail(Code::NotFound, folder + ": no such folder");
  WM_TRY(check_kinds(folder));
  fs::create_directories(incoming, error);
  if (error) return about(incoming, error);
  fs::permissions(incoming, fs::perms::owner_all, error);
  auto key = random_hex(16);
  fs::path part = fs::path(incoming) / (".part-" + key), whole = fs::path(incoming) / key;
  fs::copy(folder, part, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (!error) fs::rename(part, whole, error);
  if (!error) return key;
  std::error_code ignored;
  fs::remove_all(part, ignored);
  return about(folder, error);
}

void drop_bundle(const std::string& incoming, const std::string& key) {
  std::error_code ignored;
  if (!key.empty()) fs::remove_all(fs::path(incoming) / key, ignored);
}

}  // namespace wm::client
