#include "daemons/wuserd/files/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "libwm/rest/archive_rules.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
using rest::ArchiveEntry;

constexpr std::size_t kArchiveBlock = 64 << 10;

struct Free {
  void operator()(archive* a) const { archive_free(a); }
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};
using Archive = std::unique_ptr<archive, Free>;
using Entry = std::unique_ptr<archive_entry, Free>;

std::string words_of(archive* a) {
  const char* text = archive_error_string(a);
  return text ? text : "cannot be read";
}

Error damaged(archive* a) { return fail(Code::BadArgument, "archive: " + words_of(a)); }

std::string text(const char* value) { return value ? value : ""; }

ArchiveEntry facts_of(archive_entry* entry) {
  using Kind = ArchiveEntry::Kind;
  ArchiveEntry facts;
  facts.path = text(archive_entry_pathname(entry));
  facts.size = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
  if (const char* target = archive_entry_hardlink(entry)) {
    facts.kind = Kind::HardLink;
    facts.link = target;
    return facts;
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG: facts.kind = Kind::File; break;
    case AE_IFDIR: facts.kind = Kind::Folder; break;
    case AE_IFLNK:
      facts.kind = Kind::SymbolicLink;
      facts.link = text(archive_entry_symlink(entry));
      break;
    default: facts.kind = Kind::Other;
  }
  return facts;
}

// Below the folder, whatever was the current one; nobody else's bits, no set-uid.
void place_below(const std::string& folder, archive_entry* entry, const ArchiveEntry& facts) {
  archive_entry_set_pathname(entry, (folder + "/" + facts.path).c_str());
  if (facts.kind == ArchiveEntry::Kind::HardLink)
    archive_entry_set_hardlink(entry, (folder + "/" + facts.link).c_str());
  auto mode = archive_entry_perm(entry) & 0777;
  bool is_folder = facts.kind == ArchiveEntry::Kind::Folder;
  archive_entry_set_perm(entry, mode | (is_folder ? 0700 : 0600));
}

Result<void> copy_data(archive* from, archive* to, rest::ArchiveRules& rules) {
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    int status = archive_read_data_block(from, &block, &size, &offset);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN) return damaged(from);
    WM_TRY(rules.grow(size));
    if (archive_write_data_block(to, block, size, offset) < ARCHIVE_WARN)
      return fail(Code::System, "unpacking: " + words_of(to));
  }
}

Archive reader() {
  Archive in(archive_read_new());
  archive_read_support_filter_gzip(in.get());
  archive_read_support_filter_bzip2(in.get());
  archive_read_support_filter_xz(in.get());
  archive_read_support_format_tar(in.get());
  archive_read_support_format_zip(in.get());
  return in;
}

// No SECURE_NOABSOLUTEPATHS: it is we who put the folder before each path.
Archive writer() {
  Archive out(archive_write_disk_new());
  archive_write_disk_set_options(out.get(), ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_PERM |
                                                ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                                ARCHIVE_EXTRACT_SECURE_NODOTDOT);
  return out;
}

Result<void> unpack_entry(archive* in, archive* out, archive_entry* entry,
                          const std::string& folder, rest::ArchiveRules& rules) {
  auto facts = facts_of(entry);
  WM_TRY(rules.admit(facts));
  place_below(folder, entry, facts);
  if (archive_write_header(out, entry) < ARCHIVE_WARN)
    return fail(Code::BadArgument,
                "archive: '" + facts.path.substr(0, 200) + "': " + words_of(out));
  WM_TRY(copy_data(in, out, rules));
  if (archive_write_finish_entry(out) < ARCHIVE_WARN)
    return fail(Code::System, "unpacking: " + words_of(out));
  return {};
}

Result<void> add_file(archive* out, const fs::path& path, const std::string& name) {
  struct stat facts {};
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return {};  // gone meanwhile, or a link
  bool regular = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
  Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_copy_stat(entry.get(), &facts);
  bool fine = regular && archive_write_header(out, entry.get()) >= ARCHIVE_WARN;
  char block[kArchiveBlock];
  auto left = static_cast<std::uint64_t>(facts.st_size);  // it may grow while it is read
  while (fine && left > 0) {
    auto n = ::read(fd, block, std::min<std::uint64_t>(left, sizeof block));
    if (n <= 0) break;
    fine = archive_write_data(out, block, static_cast<std::size_t>(n)) >= 0;
    left -= static_cast<std::uint64_t>(n);
  }
  ::close(fd);
  if (regular && !fine) return fail(Code::System, "zip: " + words_of(out));
  return {};
}

}  // namespace

Result<void> unpack(const std::string& path, const std::string& folder) {
  auto in = reader();
  auto out = writer();
  if (archive_read_open_filename(in.get(), path.c_str(), kArchiveBlock) != ARCHIVE_OK)
    return fail(Code::NotFound, "no archive: " + words_of(in.get()));
  std::error_code ec;
  auto packed = fs::file_size(path, ec);
  rest::ArchiveRules rules({}, ec ? 0 : packed);
  for (bool first = true;; first = false) {
    archive_entry* entry = nullptr;
    int status = archive_read_next_header(in.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN)
      return first ? fail(Code::NotFound, "no archive") : damaged(in.get());
    WM_TRY(unpack_entry(in.get(), out.get(), entry, folder, rules));
  }
  if (archive_write_close(out.get()) < ARCHIVE_WARN)
    return fail(Code::System, "unpacking: " + words_of(out.get()));
  return {};
}

Result<void> zip_folder(const std::string& folder, const std::vector<std::string>& but, int fd) {
  Archive out(archive_write_new());
  archive_write_set_format_zip(out.get());
  if (archive_write_open_fd(out.get(), fd) != ARCHIVE_OK)
    return fail(Code::System, "zip: " + words_of(out.get()));
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().lexically_relative(folder).string();
    bool skipped = std::find(but.begin(), but.end(), name) != but.end();
    if (skipped && at->is_directory(ec)) at.disable_recursion_pending();
    if (!skipped && at->is_regular_file(ec)) WM_TRY(add_file(out.get(), at->path(), name));
  }
  if (archive_write_close(out.get()) != ARCHIVE_OK)
    return fail(Code::System, "zip: " + words_of(out.get()));
  return {};
}

}  // namespace wm::user
