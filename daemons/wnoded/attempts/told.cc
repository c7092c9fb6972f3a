#include "daemons/wnoded/attempts/told.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libwm/base/exit_status.h"

namespace wm::node {
namespace {

/// A notification command that says nothing for so long has refused.
constexpr Duration kNoticeLimit = std::chrono::minutes(1);

launch::Notice notice_of(const HostOrder& order, const launch::HostFacts& host,
                         const OrderedTask& first) {
  auto command =
      launch::user_command(order, host, first, "notification command", order.change.command);
  command.time_limit = kNoticeLimit;
  for (const auto& variable :
       {"LSB_RESIZE_EVENT=" + std::string(order.change.notice->grow ? "grow" : "shrink"),
        "LSB_RESIZE_HOSTS=" + order.change.hosts, std::string("LSB_RESIZE_NOTIFY_OK=0"),
        std::string("LSB_RESIZE_NOTIFY_FAIL=1")})
    command.env.push_back(variable);
  return {order.change.notice->number, std::move(command)};
}

/// A notice goes by the first process here; without one it waits.
std::optional<launch::Notice> take_notice(const HostOrder& order, const launch::HostFacts& host,
                                          Told& told) {
  if (!order.change.notice || order.change.notice->number <= told.noticed) return std::nullopt;
  auto first = std::find_if(order.tasks.begin(), order.tasks.end(),
                            [](const OrderedTask& t) { return t.has_process; });
  if (first == order.tasks.end()) return std::nullopt;
  told.noticed = order.change.notice->number;
  return notice_of(order, host, *first);
}

}  // namespace

Told told_at_start(const HostOrder& order, Told before) {
  before.suspended = order.control.suspend;
  before.run_limit = order.resolved.run_limit;
  before.relaunches = order.control.relaunches;
  before.writer = order.team.writer;
  return before;
}

std::vector<launch::ShepherdOrder> take_differences(const HostOrder& order,
                                                    const launch::HostFacts& host, Told& told) {
  std::vector<launch::ShepherdOrder> words;
  if (std::exchange(told.suspended, order.control.suspend) != order.control.suspend)
    words.push_back(launch::Suspend{order.control.suspend});
  Duration limit = order.resolved.run_limit;
  if (std::exchange(told.run_limit, limit) != limit)
    words.push_back(launch::LimitRun{order.run_left});
  if (auto notice = take_notice(order, host, told)) words.push_back(*std::move(notice));
  if (order.team.writer && std::exchange(told.writer, order.team.writer) != order.team.writer)
    words.push_back(launch::WriteAsked{told.writer});
  return words;
}

FactNotified notified(const launch::AttemptKey& key, const launch::Noticed& word) {
  bool ok = word.status == 0;
  auto text = ok ? std::string()
                 : "the notification command " +
                       (word.status < 0 ? "did not answer within " + format_duration(kNoticeLimit)
                                        : "said " + std::to_string(shell_status(word.status)));
  return {key.job, key.attempt, word.number, ok, text};
}

}  // namespace wm::node
