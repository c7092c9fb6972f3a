#include "daemons/wuserd/jobs/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "daemons/wuserd/files/body.h"
#include "daemons/wuserd/files/unpack.h"
#include "libwm/rest/json_string.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kZipBlock = 256 << 10;

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

/// A regular file of a job's, and how long it was when it was opened.
struct Output {
  Fd fd;
  off_t size = 0;
};

// A fifo would have us wait, a device be read without end.
Result<Output> open_output(const std::string& path) {
  Output out;
  out.fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (!out.fd || ::fstat(out.fd.get(), &facts) != 0) return system_error(path);
  if (!S_ISREG(facts.st_mode)) return fail(Code::Denied, path + ": is no regular file");
  out.size = facts.st_size;
  return out;
}

// From where it stands, as much as was announced: it may grow meanwhile.
Result<void> send_bytes(http::Exchange& exchange, int fd, off_t left) {
  std::string block(kZipBlock, '\0');
  while (left > 0) {
    auto n = ::read(fd, block.data(), std::min(block.size(), static_cast<std::size_t>(left)));
    if (n < 0) return system_error("reading");
    if (n == 0) return {};
    WM_TRY(exchange.write(std::string_view(block.data(), static_cast<std::size_t>(n))));
    left -= n;
  }
  return {};
}

Result<std::vector<std::string>> streams_of(const std::string& type) {
  if (type.empty() || type == "outerrlog") return std::vector<std::string>{"stdout", "stderr"};
  if (type == "outlog") return std::vector<std::string>{"stdout"};
  if (type == "errlog") return std::vector<std::string>{"stderr"};
  return fail(Code::BadArgument, "logType: outlog, errlog or outerrlog is wanted");
}

std::string zip_name(JobId job, std::string_view cluster) {
  return "dlpd-model-1-1" + exec_id(cluster, job) + "-result.zip";
}

std::string end_of(const std::string& path) { return output_end(path, 16 << 20); }

Result<off_t> offset_in(const std::string& text) {
  off_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty()) return off_t{0};
  if (ec != std::errc() || end != text.data() + text.size() || value < 0)
    return fail(Code::BadArgument, "'" + text + "': a number of bytes is wanted");
  return value;
}

}  // namespace

std::vector<WorkerFolder> workers_of(const std::string& result_dir) {
  std::vector<WorkerFolder> all;
  auto add = [&](const std::string& log, bool counted) {
    for (auto number : workers_in(log)) {
      auto shown = counted ? static_cast<std::uint32_t>(all.size() + 1) : number;
      all.push_back({shown, log + "/" + std::to_string(number)});
    }
  };
  add(result_dir + "/log", false);
  constexpr int kMostGroups = 16;
  for (int n = 1; n <= kMostGroups; ++n) add(result_dir + "." + std::to_string(n) + "/log", true);
  return all;
}

std::string output_end(const std::string& path, off_t most) {
  auto file = open_output(path);
  if (!file) return "";
  std::string text(static_cast<std::size_t>(std::min(file->size, most)), '\0');
  auto n = ::pread(file->fd.get(), text.data(), text.size(), std::max<off_t>(file->size - most, 0));
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

Result<void> send_whole_file(http::Exchange& exchange, const std::string& path,
                             const std::string& type) {
  WM_TRY(auto file, open_output(path));
  WM_TRY(exchange.begin(
      {200, {{"Content-Type", type}, {"Content-Length", std::to_string(file.size)}}, ""}));
  WM_TRY(send_bytes(exchange, file.fd.get(), file.size));
  return exchange.finish();
}

namespace {

// The first generation reads a string of JSON, and says so; who says nothing, or */*, reads text.
bool wants_json(const http::Head& head) {
  auto accept = head.field("accept");
  return accept.find("application/json") != accept.npos && accept.find("text/plain") == accept.npos;
}

// One file at a time is open: there may be thousands of workers.
Result<void> send_as_json(http::Exchange& exchange, const std::vector<std::string>& paths) {
  rest::JsonString text;
  WM_TRY(exchange.begin({200, {{"Content-Type", "application/json"}}, ""}));
  WM_TRY(exchange.write("\""));
  std::string block(kZipBlock, '\0');
  for (const auto& path : paths) {
    auto file = open_output(path);
    for (off_t left = file ? file->size : 0; left > 0;) {
      auto most = std::min(block.size(), static_cast<std::size_t>(left));
      auto n = ::read(file->fd.get(), block.data(), most);
      if (n < 0) return system_error(path);
      if (n == 0) break;
      WM_TRY(exchange.write(text.piece({block.data(), static_cast<std::size_t>(n)})));
      left -= n;
    }
  }
  WM_TRY(exchange.write(text.rest() + "\""));
  return exchange.finish();
}

}  // namespace

http::Reply log_reply(const http::Head& head, const std::string& text) {
  if (!wants_json(head)) return {200, {{"Content-Type", "text/plain; charset=utf-8"}}, text};
  rest::JsonString made;
  auto body = "\"" + made.piece(text);
  return {200, {{"Content-Type", "application/json"}}, body + made.rest() + "\""};
}

Result<void> send_logs(Call& call, const JobView& exec, const std::string& type) {
  WM_TRY(auto streams, streams_of(type));
  auto& exchange = call.exchange;
  std::vector<std::string> paths;
  for (const auto& worker : workers_of(exec.result_dir))
    for (const auto& stream : streams) paths.push_back(worker.folder + "/" + stream);
  if (wants_json(exchange.head())) return send_as_json(exchange, paths);
  WM_TRY(exchange.begin({200, {{"Content-Type", "text/plain; charset=utf-8"}}, ""}));
  for (const auto& path : paths)
    if (auto file = open_output(path)) WM_TRY(send_bytes(exchange, file->fd.get(), file->size));
  return exchange.finish();
}

Result<void> send_results(Call& call, const JobView& job) {
  auto folder = job.result_dir;
  std::error_code ec;
  // Of a job with groups: what the first of them left, which are the workers.
  if (!fs::is_directory(folder + "/model", ec) && fs::is_directory(job.result_dir + ".1", ec))
    folder = job.result_dir + ".1";
  if (folder.empty() || !fs::is_directory(folder, ec))
    return fail(Code::NotFound, "there are no results yet");
  WM_TRY(auto file, nameless_file(call.site.results_root));
  WM_TRY(zip_folder(folder, {"_submitted_code", "checkpoint", "conda", ".conda.lock"}, file.get()));
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return system_error("the zip");
  auto size = std::to_string(facts.st_size);
  auto name = zip_name(job.id, call.site.conf.name);
  // Clients split it at ';' and want `filename=` without a blank before it.
  WM_TRY(call.exchange.begin(
      {200,
       {{"Content-Type", "application/zip"},
        {"Content-Length", size},
        {"Content-Disposition", "attachment;filename=" + name + ";size=" + size}},
       ""}));
  WM_TRY(send_bytes(call.exchange, file.get(), facts.st_size));
  return call.exchange.finish();
}

std::string logs_json(const std::string& result_dir) {
  std::vector<std::string> items;
  for (const auto& worker : workers_of(result_dir)) {
    auto size = [&](const char* name) {
      std::error_code ec;
      auto bytes = fs::file_size(worker.folder + "/" + name, ec);
      return std::to_string(ec ? 0 : bytes);
    };
    items.push_back("{\"task\":" + std::to_string(worker.number) + ",\"stdout\":" + size("stdout") +
                    ",\"stderr\":" + size("stderr") + "}");
  }
  return "{\"workers\":" + rest::list_json(items) + "}";
}

Result<void> send_log_part(Call& call, const std::string& result_dir, const std::string& worker,
                           const std::string& stream) {
  WM_TRY(auto number, offset_in(worker));
  bool known = stream == "stdout" || stream == "stderr";
  auto workers = workers_of(result_dir);
  auto found = std::find_if(workers.begin(), workers.end(), [&](const WorkerFolder& one) {
    return one.number == static_cast<std::uint32_t>(number);
  });
  known = known && found != workers.end();
  auto none = fail(Code::NotFound, "worker " + worker + " has no " + stream);
  if (!known) return none;
  auto path = found->folder + "/" + stream;
  // Made at the first byte: a worker's output is empty until then.
  bool begun = ::access(path.c_str(), F_OK) == 0 || errno != ENOENT;
  auto file = begun ? open_output(path) : Result<Output>(Output());
  if (!file) return none;
  WM_TRY(auto tail, offset_in(call.target.value("tail")));
  WM_TRY(auto from, offset_in(call.target.value("from")));
  if (tail > 0) from = std::max<off_t>(file->size - tail, 0);
  WM_TRY(auto most, offset_in(call.target.value("most")));
  from = std::min(from, file->size);
  auto length = most > 0 ? std::min(most, file->size - from) : file->size - from;
  ::lseek(file->fd.get(), from, SEEK_SET);
  WM_TRY(call.exchange.begin({200,
                              {{"Content-Type", "text/plain; charset=utf-8"},
                               {"X-Offset", std::to_string(from)},
                               {"X-Size", std::to_string(file->size)}},
                              ""}));
  WM_TRY(send_bytes(call.exchange, file->fd.get(), length));
  return call.exchange.finish();
}

Result<std::string> log_text(const std::string& result_dir, std::size_t worker,
                             const std::string& kind) {
  if (kind == "launcherlog") return end_of(result_dir + "/job.out");
  if (kind != "stdout" && kind != "stderr")
    return fail(Code::NotFound, "log '" + kind + "' does not exist: stdout, stderr, launcherlog");
  if (worker == 0) return fail(Code::NotFound, "worker 0 does not exist: they count from 1");
  auto workers = workers_of(result_dir);
  if (worker > workers.size()) return std::string();  // it has not started
  return end_of(workers[worker - 1].folder + "/" + kind);
}

}  // namespace wm::user
