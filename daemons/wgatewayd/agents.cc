#include "daemons/wgatewayd/agents.h"

#include <unistd.h>

#include <chrono>

#include "libwm/base/log.h"
#include "libwm/http/listen.h"

namespace wm::gateway {
namespace {

constexpr int kLooks = 500;
constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
constexpr auto kPatience = std::chrono::seconds(2);

}  // namespace

Agent::~Agent() {
  if (child_) child_->end(kPatience);
}

Result<std::string> Agent::socket() {
  std::lock_guard lock(mutex_);
  if (!runs() && !http::is_answered(socket_)) WM_TRY(start());
  return socket_;
}

Result<void> Agent::start() {
  ::unlink(socket_.c_str());
  WM_TRY(child_, proc::Process::start({command_}));
  log::info("wuserd_started", {{"pid", child_->pid()}});
  for (int i = 0; i < kLooks; ++i) {
    if (http::is_answered(socket_)) return {};
    if (child_->wait(kBetweenLooks))
      return fail(Code::System, "wuserd ended as soon as it was started");
  }
  return fail(Code::System, "wuserd does not listen");
}

}  // namespace wm::gateway
