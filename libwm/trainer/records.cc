#include "libwm/trainer/records.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace wm::trainer {
namespace {

constexpr std::size_t kGaps = 20;  // DESIGN 8: steps.csv
constexpr std::string_view kStepsHead = "step,epoch,world,samples,t_begin,t_end\n";
constexpr std::string_view kLedgerHead = "step,epoch,data_epoch,begin,end,offset,size\n";

Result<void> write_line(int fd, std::string_view line, const std::string& name) {
  auto n = ::write(fd, line.data(), line.size());
  if (n == static_cast<ssize_t>(line.size())) return {};
  return fail(Code::System, name + ": " + (n < 0 ? std::strerror(errno) : "disk full"));
}

// Opens for appending; a new file gets its head.
Result<int> open_file(const std::string& path, std::string_view head) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return fail(Code::System, path + ": " + std::strerror(errno));
  struct stat now {};
  if (::fstat(fd, &now) == 0 && now.st_size > 0) return fd;
  if (auto written = write_line(fd, head, path); !written) {
    ::close(fd);
    return written.error();
  }
  return fd;
}

unsigned long long ull(std::uint64_t n) { return n; }

std::string steps_line(const wm_step& s) {
  std::array<char, 160> text;
  int n = std::snprintf(text.data(), text.size(), "%llu,%u,%u,%llu,%lld,%lld\n", ull(s.step),
                        s.epoch, s.world, ull(s.samples), static_cast<long long>(s.t_begin_ns),
                        static_cast<long long>(s.t_end_ns));
  return {text.data(), static_cast<std::size_t>(n)};
}

std::string ledger_line(const wm_step& s) {
  std::array<char, 160> text;
  int n =
      std::snprintf(text.data(), text.size(), "%llu,%u,%u,%llu,%llu,%llu,%llu\n", ull(s.step),
                    s.epoch, s.data_epoch, ull(s.begin), ull(s.end), ull(s.offset), ull(s.size));
  return {text.data(), static_cast<std::size_t>(n)};
}

}  // namespace

std::int64_t PauseMeter::median_gap() const {
  if (gaps_.empty()) return 0;
  std::vector<std::int64_t> sorted(gaps_.begin(), gaps_.end());
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::optional<std::int64_t> PauseMeter::on_step(const wm_step& step) {
  auto last = std::exchange(last_, step);
  if (!last) return std::nullopt;
  auto gap = step.t_begin_ns - last->t_end_ns;
  if (step.epoch != last->epoch) return std::max<std::int64_t>(0, gap - median_gap());
  gaps_.push_back(gap);
  if (gaps_.size() > kGaps) gaps_.pop_front();
  return std::nullopt;
}

Result<std::unique_ptr<Records>> Records::open(const std::string& log_dir) {
  if (log_dir.empty()) return std::unique_ptr<Records>(new Records("", -1, -1));
  WM_TRY(int steps, open_file(log_dir + "/steps.csv", kStepsHead));
  auto ledger = open_file(log_dir + "/ledger.csv", kLedgerHead);
  if (!ledger) {
    ::close(steps);
    return ledger.error();
  }
  return std::unique_ptr<Records>(new Records(log_dir, steps, *ledger));
}

Records::~Records() {
  if (steps_ >= 0) ::close(steps_);
  if (ledger_ >= 0) ::close(ledger_);
}

Result<std::optional<std::int64_t>> Records::write(const wm_step& step) {
  auto pause = meter_.on_step(step);
  if (steps_ >= 0) {
    WM_TRY(write_line(steps_, steps_line(step), log_dir_ + "/steps.csv"));
    WM_TRY(write_line(ledger_, ledger_line(step), log_dir_ + "/ledger.csv"));
  }
  return pause;
}

}  // namespace wm::trainer
