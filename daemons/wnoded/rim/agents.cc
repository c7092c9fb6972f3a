#include "daemons/wnoded/rim/agents.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

constexpr std::uint32_t kMaxAgentFrame = 1u << 20;  // PROTOCOL.md F-1
constexpr std::size_t kMaxConnections = 4096;       // every user may connect

}  // namespace

Agents::Agents(boost::asio::io_context& loop, Admit admit, OnReport on_report,
               std::size_t max_of_one_user)
    : loop_(loop),
      admit_(std::move(admit)),
      on_report_(std::move(on_report)),
      max_of_one_user_(max_of_one_user),
      door_(loop, [this](auto socket) {
        if (connections_.size() < kMaxConnections) serve(Fd(socket.release()));
      }) {}

Result<void> Agents::listen(const std::string& path) {
  WM_TRY(auto fd, proc::listen_unix(path));
  if (::chmod(path.c_str(), 0666) != 0) return system_error("chmod " + path);
  door_.open(fd.release());
  return {};
}

void Agents::serve(Fd fd) {
  auto peer = proc::peer_of(fd.get());
  if (!peer) return;
  auto of_this_user = std::count_if(connections_.begin(), connections_.end(),
                                    [&](const auto& c) { return c.second.uid == peer->uid; });
  if (static_cast<std::size_t>(of_this_user) >= max_of_one_user_) return;
  auto id = next_++;
  auto& connection = connections_[id];
  connection.uid = peer->uid;
  connection.socket = std::make_unique<frames::Stream>(
      loop_, fd.release(), frames::Stream::Limits{kMaxAgentFrame, frames::kLongest});
  connection.socket->start([this, id](std::string bytes) { on_frame(id, bytes); },
                           [this, id] { drop(id); });
}

void Agents::on_frame(std::uint64_t id, const std::string& bytes) {
  auto at = connections_.find(id);
  if (at == connections_.end()) return;
  auto& connection = at->second;
  auto report = codec::decode<AgentReport>(bytes);
  if (!report) return drop(id);
  launch::AttemptKey key{report->job, report->attempt};
  if (!connection.key.job) {
    if (!admit_(key, connection.uid)) {
      log::warn("agent_refused", {{"attempt", to_string(key)}, {"uid", connection.uid}});
      return drop(id);
    }
    connection.key = key;
    by_attempt_[key] = id;
  }
  if (key == connection.key) on_report_(key, *report);
}

void Agents::drop(std::uint64_t id) {
  auto at = connections_.find(id);
  if (at == connections_.end()) return;
  auto named = by_attempt_.find(at->second.key);
  if (named != by_attempt_.end() && named->second == id) by_attempt_.erase(named);
  connections_.erase(at);  // what it has sent beyond this is not heard
}

void Agents::tell(const launch::AttemptKey& key, const NodeToAgent& words) {
  auto at = by_attempt_.find(key);
  if (at != by_attempt_.end()) connections_.at(at->second).socket->send(codec::encode(words));
}

}  // namespace wm::node
