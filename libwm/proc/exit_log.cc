#include "libwm/proc/exit_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "libwm/files/whole_file.h"
#include "libwm/proc/channel.h"

namespace wm::proc {
namespace {

constexpr std::string_view kMagic = "WMX1";
constexpr std::size_t kHead = 12;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (int i = 0; i < 4; ++i)
    n |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return n;
}

void add_number(std::string& out, std::uint32_t n) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(n >> (8 * i));
}

std::string frames_of(const std::vector<launch::ExitRecord>& records) {
  std::string out;
  for (const auto& record : records) {
    auto bytes = to_bytes(record);
    out += kMagic;
    add_number(out, static_cast<std::uint32_t>(bytes.size()));
    add_number(out, crc32c(bytes));
    out += bytes;
  }
  return out;
}

// Has the record that begins here more bytes than there are?
bool is_torn(std::string_view rest) {
  auto magic = rest.substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size())) return false;
  return rest.size() < kHead || number_at(rest, 4) > rest.size() - kHead;
}

// The record that begins here; `size` becomes what it takes.
Result<launch::ExitRecord> record_at(std::string_view rest, std::size_t& size) {
  if (is_torn(rest)) return fail(Code::Damaged, "cut off");
  auto bytes = rest.substr(kHead, number_at(rest, 4));
  size = kHead + bytes.size();
  if (crc32c(bytes) != number_at(rest, 8)) return fail(Code::Damaged, "checksum");
  return launch::record_from_bytes(bytes);
}

// @source the log reader of LevelDB: a reporter is told of what is dropped, except of a torn end
std::vector<launch::ExitRecord> records_in(std::string_view file, const OnDamage& on_damage) {
  std::vector<launch::ExitRecord> records;
  std::size_t good = 0;  // the end of what is known
  auto drop = [&](std::size_t end) {
    if (end > good && on_damage) on_damage(good, end - good);
  };
  for (auto at = file.find(kMagic); at != file.npos; at = file.find(kMagic, at)) {
    std::size_t size = 0;
    auto record = record_at(file.substr(at), size);
    if (!record) {
      ++at;
      continue;
    }
    drop(at);
    records.push_back(*std::move(record));
    good = at += size;
  }
  if (!is_torn(file.substr(good))) drop(file.size());
  return records;
}

Result<void> write_and_sync(int fd, std::string_view bytes, const std::string& path) {
  WM_TRY(write_all(fd, bytes, "write " + path));
  if (::fdatasync(fd) != 0) return system_error("fdatasync " + path);
  return {};
}

/// Opens the file that is at `path` and stays there as long as the lock is held.
Result<Fd> open_locked(const std::string& path, int flags, int lock) {
  while (true) {
    Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    if (!fd) return system_error("open " + path);
    while (::flock(fd.get(), lock) != 0)
      if (errno != EINTR) return system_error("lock " + path);
    struct stat mine {
    }, there{};
    if (::fstat(fd.get(), &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
        mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
      return fd;
  }
}

Result<std::string> all_of(int fd, const std::string& path) {
  std::string bytes;
  std::array<char, 65536> part;
  while (true) {
    auto n = ::read(fd, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read " + path);
    if (n == 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      auto c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

Result<void> append_exits(const std::string& path, const std::vector<launch::ExitRecord>& records) {
  WM_TRY(auto fd, open_locked(path, O_WRONLY | O_APPEND | O_CREAT, LOCK_SH));
  return write_and_sync(fd.get(), frames_of(records), path);
}

Result<std::vector<launch::ExitRecord>> read_exits(const std::string& path,
                                                   const OnDamage& on_damage) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return std::vector<launch::ExitRecord>();
  if (!fd) return system_error("open " + path);
  WM_TRY(auto bytes, all_of(fd.get(), path));
  return records_in(bytes, on_damage);
}

std::uint64_t exits_size(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
}

Result<void> shrink_exits(const std::string& path,
                          const std::function<bool(const launch::ExitRecord&)>& keep,
                          const OnDamage& on_damage) {
  WM_TRY(auto old, open_locked(path, O_RDWR | O_CREAT, LOCK_EX));
  WM_TRY(auto bytes, all_of(old.get(), path));
  auto records = records_in(bytes, on_damage);
  std::erase_if(records, [&](const launch::ExitRecord& record) { return !keep(record); });
  return replace_file(path, frames_of(records), 0600);
}

}  // namespace wm::proc
