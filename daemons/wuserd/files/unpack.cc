#include "daemons/wuserd/files/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "libwm/base/excerpt.h"
#include "libwm/files/tree.h"

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

Error damaged(archive* a) {
  return fail(Code::BadArgument, "archive: " + excerpt(words_of(a), 300));
}

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

// Nobody else's bits, no set-uid.
mode_t mode_of(archive_entry* entry, const ArchiveEntry& facts) {
  mode_t own = facts.kind == ArchiveEntry::Kind::Folder ? 0700 : 0600;
  return (archive_entry_perm(entry) & 0777) | own;
}

// A place that cannot be had is the archive's fault; a full disk is not.
Result<void> placed(Result<void> done) {
  if (done || done.error().code == Code::System || done.error().code == Code::Limit) return done;
  return fail(Code::BadArgument, "archive: " + excerpt(done.error().text, 300));
}

/// One file while it is written. What an archive leaves out of it counts as if it were there.
class UnpackedFile {
 public:
  UnpackedFile(Fd fd, std::string path, rest::ArchiveRules& rules)
      : fd_(std::move(fd)), path_(std::move(path)), rules_(rules) {}

  Result<void> write(std::string_view bytes, std::uint64_t offset) {
    WM_TRY(grow(offset + bytes.size()));
    if (::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) return system_error(path_);
    return write_all(fd_.get(), bytes, path_);
  }

  Result<void> finish(std::uint64_t size, time_t changed) {
    WM_TRY(grow(std::max(size, size_)));
    if (::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) return system_error(path_);
    const timespec times[2] = {{0, UTIME_NOW}, {changed, changed == 0 ? UTIME_NOW : 0}};
    (void)::futimens(fd_.get(), times);
    return {};
  }

 private:
  Result<void> grow(std::uint64_t size) {
    if (size <= size_) return {};
    WM_TRY(rules_.grow(size - size_));
    size_ = size;
    return {};
  }

  Fd fd_;
  std::string path_;
  rest::ArchiveRules& rules_;
  std::uint64_t size_ = 0;
};

Result<void> copy_data(archive* from, UnpackedFile& to) {
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    int status = archive_read_data_block(from, &block, &size, &offset);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN || offset < 0) return damaged(from);
    WM_TRY(to.write({static_cast<const char*>(block), size}, static_cast<std::uint64_t>(offset)));
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

Result<void> unpack_file(archive* in, archive_entry* entry, const ArchiveEntry& facts,
                         const Tree& tree, rest::ArchiveRules& rules) {
  auto fd = tree.make_file(facts.path, mode_of(entry, facts));
  if (!fd) return placed(fd.error());
  UnpackedFile out(std::move(*fd), facts.path, rules);
  WM_TRY(copy_data(in, out));
  return out.finish(facts.size, archive_entry_mtime(entry));
}

Result<void> unpack_entry(archive* in, archive_entry* entry, const Tree& tree,
                          rest::ArchiveRules& rules) {
  using Kind = ArchiveEntry::Kind;
  auto facts = facts_of(entry);
  WM_TRY(rules.admit(facts));
  switch (facts.kind) {
    case Kind::Folder: return placed(tree.make_folder(facts.path, mode_of(entry, facts)));
    case Kind::SymbolicLink: return placed(tree.make_link(facts.path, facts.link));
    case Kind::HardLink: return placed(tree.make_name(facts.path, facts.link));
    default: return unpack_file(in, entry, facts, tree, rules);
  }
}

Result<void> add_file(archive* out, const TreeFile& file) {
  Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), file.path.c_str());
  archive_entry_copy_stat(entry.get(), &file.facts);
  bool fine = archive_write_header(out, entry.get()) >= ARCHIVE_WARN;
  char block[kArchiveBlock];
  auto left = static_cast<std::uint64_t>(file.facts.st_size);  // it may grow while it is read
  while (fine && left > 0) {
    auto n = ::read(file.fd, block, std::min<std::uint64_t>(left, sizeof block));
    if (n <= 0) break;
    fine = archive_write_data(out, block, static_cast<std::size_t>(n)) >= 0;
    left -= static_cast<std::uint64_t>(n);
  }
  if (!fine) return fail(Code::System, "zip: " + words_of(out));
  return {};
}

}  // namespace

Result<void> unpack(const std::string& path, const std::string& folder,
                    const rest::ArchiveLimits& limits) {
  auto in = reader();
  if (archive_read_open_filename(in.get(), path.c_str(), kArchiveBlock) != ARCHIVE_OK)
    return fail(Code::NotFound, "no archive: " + words_of(in.get()));
  WM_TRY(auto tree, Tree::open(folder));
  std::error_code ec;
  auto packed = fs::file_size(path, ec);
  rest::ArchiveRules rules(limits, ec ? 0 : packed);
  for (bool first = true;; first = false) {
    archive_entry* entry = nullptr;
    int status = archive_read_next_header(in.get(), &entry);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN)
      return first ? fail(Code::NotFound, "no archive") : damaged(in.get());
    WM_TRY(unpack_entry(in.get(), entry, tree, rules));
  }
}

Result<void> zip_folder(const std::string& folder, const std::vector<std::string>& but, int fd) {
  WM_TRY(auto tree, Tree::open(folder));
  Archive out(archive_write_new());
  archive_write_set_format_zip(out.get());
  if (archive_write_open_fd(out.get(), fd) != ARCHIVE_OK)
    return fail(Code::System, "zip: " + words_of(out.get()));
  WM_TRY(tree.walk({.paths = but, .unreadable = true},
                   [&](const TreeFile& file) { return add_file(out.get(), file); }));
  if (archive_write_close(out.get()) != ARCHIVE_OK)
    return fail(Code::System, "zip: " + words_of(out.get()));
  return {};
}

}  // namespace wm::user
