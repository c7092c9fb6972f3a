#include "libwm/trainer/groups/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wm::groups {
namespace {

constexpr std::string_view kMagic = "WMCKPT01";
constexpr std::size_t kHead = kMagic.size() + sizeof(double) * Progress::kNumbers;

std::string folder_of(const std::string& result_dir) { return result_dir + "/checkpoint"; }
std::string path_of(const std::string& result_dir) {
  return folder_of(result_dir) + "/checkpoint.wm";
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(fd) == 0;
}

bool write_file(const std::string& path, std::string_view bytes) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  bool good = write_all(fd, bytes);
  int why = errno;
  good = ::close(fd) == 0 && good;
  if (!good) ::unlink(path.c_str());
  if (!good && why) errno = why;
  return good;
}

bool sync_folder(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool good = ::fsync(fd) == 0;
  ::close(fd);
  return good;
}

bool read_file(const std::string& path, std::string& bytes) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 65536> chunk;
  ssize_t n = 0;
  while ((n = ::read(fd, chunk.data(), chunk.size())) > 0)
    bytes.append(chunk.data(), static_cast<std::size_t>(n));
  ::close(fd);
  return n == 0;
}

std::string framed(std::string_view text) {
  auto size = static_cast<std::uint64_t>(text.size());
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  return out.append(text);
}

/// Takes one framed text off the front.
std::optional<std::string> take_framed(std::string_view& bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() < size) return std::nullopt;
  std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

bool put_aside(const std::string& path, std::string owner, std::string& why) {
  std::ranges::replace(owner, '/', '_');
  auto aside = path + "." + owner;
  if (::rename(path.c_str(), aside.c_str()) != 0) {
    why = path + ": " + std::strerror(errno);
    return false;
  }
  std::printf(
      "checkpoint %s is of another job: kept as %s, not gone on from (bsub -resume does that)\n",
      path.c_str(), aside.c_str());
  return true;
}

}  // namespace

std::string pack(const Parcel& parcel) {
  auto numbers = parcel.progress.pack();
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(numbers.data()), sizeof(double) * numbers.size());
  out += framed(parcel.state);
  return parcel.job.empty() ? out : out + framed(parcel.job);
}

std::optional<Parcel> unpack(std::string_view bytes) {
  if (bytes.size() < kHead || !bytes.starts_with(kMagic)) return std::nullopt;
  std::array<double, Progress::kNumbers> numbers;
  std::memcpy(numbers.data(), bytes.data() + kMagic.size(), sizeof numbers);
  bytes.remove_prefix(kHead);
  auto state = take_framed(bytes);
  // Written before there was this field, or for a newcomer.
  auto job = bytes.empty() ? std::optional<std::string>("") : take_framed(bytes);
  if (!state || !job || !bytes.empty()) return std::nullopt;
  return Parcel{Progress::unpack(numbers), std::move(*state), std::move(*job)};
}

bool save(const std::string& result_dir, const Parcel& parcel, std::string& why) {
  auto folder = folder_of(result_dir), path = path_of(result_dir);
  auto temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  bool good = (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) &&
              write_file(temporary, pack(parcel)) &&
              ::rename(temporary.c_str(), path.c_str()) == 0 && sync_folder(folder);
  if (!good) why = path + ": " + std::strerror(errno);
  return good;
}

std::optional<Parcel> load(const std::string& result_dir, std::string& why) {
  std::string bytes;
  if (!read_file(path_of(result_dir), bytes)) {
    if (errno != ENOENT) why = path_of(result_dir) + ": " + std::strerror(errno);
    return std::nullopt;
  }
  auto found = unpack(bytes);
  if (!found) why = path_of(result_dir) + ": not a checkpoint of this version";
  return found;
}

std::optional<Parcel> begin_with(const std::string& result_dir, const std::string& job,
                                 const std::string& resume_from, std::string& why) {
  std::optional<Parcel> own;
  if (!result_dir.empty()) own = load(result_dir, why);
  if (!why.empty()) return std::nullopt;
  bool known = own && !job.empty() && !own->job.empty();
  bool foreign = known && own->job != job && resume_from != result_dir;
  if (foreign && !put_aside(path_of(result_dir), own->job, why)) return std::nullopt;
  if ((own && !foreign) || resume_from.empty()) return foreign ? std::nullopt : own;
  auto other = load(resume_from, why);
  if (!other && why.empty()) why = path_of(resume_from) + ": there is no checkpoint to go on from";
  return other;
}

}  // namespace wm::groups
