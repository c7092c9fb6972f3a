#include "daemons/wlogind/folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/files/fd.h"
#include "libwm/files/own_folder.h"
#include "libwm/files/whole_file.h"

namespace wm::login {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLongestKeys{64 << 10};

Result<void> own(const std::string& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  if (ec) return fail(Code::System, path + ": " + ec.message());
  WM_TRY(auto folder, OwnFolder::open(path, ::geteuid()));
  return ::fchmod(folder.fd(), 0711) == 0 ? Result<void>() : Result<void>(system_error(path));
}

// A file becomes a link to one of the same name and content in `state`.
Result<void> move_out(const std::string& folder, const std::string& state, const char* name,
                      mode_t mode) {
  auto from = folder + "/" + name, to = state + "/" + name;
  bool moved = fs::exists(fs::symlink_status(to));
  if (!moved && fs::is_regular_file(fs::symlink_status(from))) {
    WM_TRY(auto text, read_file(from, kLongestKeys));
    WM_TRY(replace_file(to, text, mode));
  }
  std::error_code ec;
  if (fs::is_symlink(fs::symlink_status(from)) && fs::read_symlink(from, ec) == to) return {};
  fs::remove(from, ec);
  fs::create_symlink(to, from, ec);
  return ec ? Result<void>(fail(Code::System, from + ": " + ec.message())) : Result<void>();
}

}  // namespace

// The public keys are read by accounts that come through the folder.
Result<void> own_folders(const std::string& folder, const std::string& state) {
  WM_TRY(own(folder));
  if (fs::weakly_canonical(folder) == fs::weakly_canonical(state)) return {};
  WM_TRY(own(state));
  WM_TRY(move_out(folder, state, "token.pub", 0644));
  return move_out(folder, state, "token.seed", 0600);
}

}  // namespace wm::login
