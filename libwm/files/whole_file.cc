#include "libwm/files/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "libwm/files/fd.h"

namespace wm {
namespace {

struct Place {
  std::string folder, name;
};

Place place_of(const std::string& path) {
  auto slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<Fd> open_folder(const Place& place) {
  Fd fd(::open(place.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return system_error(place.folder);
  return fd;
}

/// A name that no other writer has: of this process by the count, of others by the process.
std::string draft_name(const std::string& name) {
  static std::atomic<unsigned> count{0};
  return "." + name.substr(0, 200) + ".new." + std::to_string(::getpid()) + "." +
         std::to_string(count++);
}

Result<void> write_draft(int folder, const std::string& draft, std::string_view text, mode_t mode,
                         const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd fd(::openat(folder, draft.c_str(), kFlags, mode));
  // Left by a process that died with our number: nobody writes it any more.
  if (!fd && errno == EEXIST && ::unlinkat(folder, draft.c_str(), 0) == 0)
    fd.reset(::openat(folder, draft.c_str(), kFlags, mode));
  if (!fd || ::fchmod(fd.get(), mode) != 0) return system_error(path);
  WM_TRY(write_all(fd.get(), text, path));
  if (::fsync(fd.get()) != 0) return system_error(path);
  return {};
}

}  // namespace

Result<std::string> read_file_at(int folder, const std::string& name, Bytes most,
                                 const std::string& path) {
  // O_NONBLOCK: a fifo would have us wait for a writer.
  Fd fd(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ENOENT) return fail(Code::NotFound, path + ": no such file");
  if (!fd && errno == ELOOP) return fail(Code::Denied, path + ": is a link");
  struct stat is {};
  if (!fd || ::fstat(fd.get(), &is) != 0) return system_error(path);
  if (!S_ISREG(is.st_mode)) return fail(Code::Denied, path + ": is no regular file");
  auto too_long = fail(Code::Limit, path + ": longer than " + std::to_string(most.value) + " bytes");
  if (is.st_size > most.value) return too_long;
  std::string text(static_cast<std::size_t>(is.st_size) + 1, '\0');
  std::size_t size = 0;
  for (;;) {  // it may grow while it is read
    auto got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path);
    size += static_cast<std::size_t>(got);
    if (static_cast<std::int64_t>(size) > most.value) return too_long;
    if (got == 0) break;
    if (size == text.size()) text.resize(2 * size);
  }
  text.resize(size);
  return text;
}

Result<std::string> read_file(const std::string& path, Bytes most) {
  return read_file_at(AT_FDCWD, path, most, path);
}

Result<void> replace_file_at(int folder, const std::string& name, std::string_view text,
                             mode_t mode, const std::string& path) {
  auto draft = draft_name(name);
  auto done = write_draft(folder, draft, text, mode, path);
  if (done && ::renameat(folder, draft.c_str(), folder, name.c_str()) != 0)
    done = system_error(path);
  if (done && ::fsync(folder) != 0) return system_error(path);
  if (!done) ::unlinkat(folder, draft.c_str(), 0);
  return done;
}

Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode) {
  auto place = place_of(path);
  WM_TRY(auto folder, open_folder(place));
  return replace_file_at(folder.get(), place.name, text, mode, path);
}

}  // namespace wm
