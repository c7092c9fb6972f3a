#include "daemons/wuserd/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "daemons/wuserd/unpack.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 256 << 10;

/// An open file. @owns the descriptor
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Names of the workers' folders: their numbers, in order.
std::vector<std::uint32_t> workers_in(const std::string& log) {
  std::vector<std::uint32_t> workers;
  std::error_code ec;
  for (fs::directory_iterator at(log, ec), end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    std::uint32_t number = 0;
    auto [stop, why] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (why == std::errc() && stop == name.data() + name.size()) workers.push_back(number);
  }
  std::sort(workers.begin(), workers.end());
  return workers;
}

Result<void> send_file(http::Exchange& exchange, int fd) {
  std::string block(kBlock, '\0');
  for (;;) {
    auto n = ::read(fd, block.data(), block.size());
    if (n < 0) return fail(Code::System, std::strerror(errno));
    if (n == 0) return {};
    WM_TRY(exchange.write(std::string_view(block.data(), static_cast<std::size_t>(n))));
  }
}

Result<std::vector<std::string>> streams_of(const std::string& type) {
  if (type.empty() || type == "outerrlog") return std::vector<std::string>{"stdout", "stderr"};
  if (type == "outlog") return std::vector<std::string>{"stdout"};
  if (type == "errlog") return std::vector<std::string>{"stderr"};
  return fail(Code::BadArgument, "logType: outlog, errlog or outerrlog is wanted");
}

std::string zip_name(const Exec& exec, std::string_view cluster) {
  return "dlpd-model-1-1" + rest::exec_id(cluster, exec.view.id) + "-result.zip";
}

// A file without a name: it is gone with whoever has it open.
Result<int> nameless_file(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  auto path = folder + "/.wm-zip-XXXXXX";
  fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return fail(Code::System, folder + ": " + std::strerror(errno));
  ::unlink(path.c_str());
  return fd;
}

}  // namespace

Result<void> send_logs(Call& call, const Exec& exec, const std::string& type) {
  WM_TRY(auto streams, streams_of(type));
  auto& exchange = call.exchange;
  WM_TRY(exchange.begin({200, {{"Content-Type", "text/plain; charset=utf-8"}}, ""}));
  auto log = exec.view.result_dir + "/log";
  for (auto worker : workers_in(log))
    for (const auto& stream : streams) {
      auto path = log + "/" + std::to_string(worker) + "/" + stream;
      File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
      if (file.fd() >= 0) WM_TRY(send_file(exchange, file.fd()));
    }
  return exchange.finish();
}

Result<void> send_results(Call& call, const Exec& exec) {
  const auto& folder = exec.view.result_dir;
  std::error_code ec;
  if (folder.empty() || !fs::is_directory(folder, ec))
    return fail(Code::NotFound, "there are no results yet");
  WM_TRY(auto fd, nameless_file(call.site.results_root));
  File file(fd);
  WM_TRY(zip_folder(folder, {"_submitted_code", "checkpoint"}, fd));
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || ::lseek(fd, 0, SEEK_SET) != 0)
    return fail(Code::System, std::strerror(errno));
  auto size = std::to_string(facts.st_size);
  auto name = zip_name(exec, call.site.conf.name);
  // Clients split it at ';' and want `filename=` without a blank before it.
  WM_TRY(call.exchange.begin(
      {200,
       {{"Content-Type", "application/zip"},
        {"Content-Length", size},
        {"Content-Disposition", "attachment;filename=" + name + ";size=" + size}},
       ""}));
  WM_TRY(send_file(call.exchange, fd));
  return call.exchange.finish();
}

}  // namespace wm::user
