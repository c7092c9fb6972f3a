#include "daemons/wmasterd/hosts/peeks.h"

#include <utility>
#include <vector>

namespace wm::master {

std::uint64_t Peeks::ask(HostId host, Done done, Duration now) {
  auto number = next_++;
  peeks_[number] = {host, std::move(done), now + kPeekLimit};
  return number;
}

void Peeks::on_reply(const PeekReply& reply) {
  auto it = peeks_.find(reply.id);
  if (it == peeks_.end()) return;
  auto done = std::move(it->second.done);
  peeks_.erase(it);
  if (reply.error.empty()) done(reply.bytes);
  else done(fail(Code::NotFound, reply.error));
}

void Peeks::on_left(HostId host) {
  fail_all([&](const Peek& peek) { return peek.host == host; }, "the host's session ended");
}

void Peeks::on_tick(Duration now) {
  fail_all([&](const Peek& peek) { return peek.until <= now; },
           "the job's host has not answered within " + format_duration(kPeekLimit));
}

// They are gone before the first is told: who is told may ask again.
void Peeks::fail_all(const std::function<bool(const Peek&)>& these, const std::string& why) {
  std::vector<Done> lost;
  for (auto it = peeks_.begin(); it != peeks_.end();) {
    if (!these(it->second)) {
      ++it;
      continue;
    }
    lost.push_back(std::move(it->second.done));
    it = peeks_.erase(it);
  }
  for (auto& done : lost) done(fail(Code::Unavailable, why));
}

}  // namespace wm::master
