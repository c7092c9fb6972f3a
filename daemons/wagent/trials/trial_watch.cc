#include "daemons/wagent/trials/trial_watch.h"

#include <chrono>
#include <utility>

#include "daemons/wagent/trials/trial_files.h"

namespace wm::wagent {

TrialWatch::TrialWatch(boost::asio::io_context& loop, std::string folder, Host host)
    : timer_(loop), folder_(std::move(folder)), host_(std::move(host)) {}

void TrialWatch::look() {
  auto connection = host_.connection();
  if (connection == 0) return;
  bool same_host = connection == heard_by_;
  auto stamp = stamp_in(folder_);
  if (same_host && stamp_ == stamp) return;
  auto report = report_in(folder_);
  bool news = !report.empty() && !(same_host && report == said_);
  if (news && !host_.say(report)) return;
  said_ = report;
  stamp_ = stamp;
  heard_by_ = connection;
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
