#include "daemons/wagent/trials/trial_watch.h"

#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "daemons/wagent/trials/trial_report.h"

namespace wm::wagent {
namespace {

constexpr std::size_t kMostRead = 4u << 20;  // of a file; of a longer one its end

std::string stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "-";
  return std::to_string(facts.st_size) + "@" + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

std::string end_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return "";
  auto size = static_cast<std::size_t>(in.tellg());
  in.seekg(static_cast<std::streamoff>(size > kMostRead ? size - kMostRead : 0));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TrialWatch::TrialWatch(boost::asio::io_context& loop, std::string folder, Say say)
    : timer_(loop), folder_(std::move(folder)), say_(std::move(say)) {}

// Is all heard that there is to say?
bool TrialWatch::look() {
  auto dicts = folder_ + "/val_dict_list.json";
  auto metrics = folder_ + "/log/1/evaluation-metrics.txt";
  auto stamp = stamp_of(dicts) + " " + stamp_of(metrics);
  if (stamp_ == stamp) return true;
  auto report = report_of(end_of(dicts), end_of(metrics));
  if (!report.empty() && report != said_ && !say_(report)) return false;
  said_ = report;
  stamp_ = stamp;
  return true;
}

void TrialWatch::finish(std::function<void()> then) {
  finish_by(std::chrono::steady_clock::now() + std::chrono::seconds(2), std::move(then));
}

// What was said last is still on its way out of this process.
void TrialWatch::finish_by(std::chrono::steady_clock::time_point until,
                           std::function<void()> then) {
  bool heard = look() || std::chrono::steady_clock::now() >= until;
  timer_.expires_after(std::chrono::milliseconds(heard ? 30 : 10));
  timer_.async_wait([this, heard, until, then = std::move(then)](const auto&) mutable {
    if (heard) then();
    else finish_by(until, std::move(then));
  });
}

void TrialWatch::wait() {
  timer_.expires_after(std::chrono::seconds(1));
  timer_.async_wait([this](const auto& error) {
    if (error) return;
    look();
    wait();
  });
}

}  // namespace wm::wagent
