#include "daemons/wmasterd/hosts/agent_news.h"

#include "libwm/codec/codec.h"
#include "libwm/elastic/agent_change.h"

namespace wm::master {
namespace {

using Bytes = std::shared_ptr<const std::string>;

std::string head_of(AgentOrder order) {
  order.agents.clear();
  order.generation = 0;
  return codec::encode(order);
}

/// Encoded once for all that keep the same.
class Encoded {
 public:
  Encoded(const AgentOrder& order, std::optional<elastic::AgentChange> change)
      : order_(order), change_(std::move(change)) {}
  bool has_change() const { return change_.has_value(); }
  bool changes_nothing() const {
    return change_ && change_->agents.empty() && change_->gone.empty();
  }
  /// @param since 0: the whole
  const Bytes& of(std::uint64_t since) {
    auto& bytes = by_since_[since];
    if (bytes) return bytes;
    if (since == 0) return bytes = std::make_shared<const std::string>(codec::encode(order_));
    AgentOrder part = order_;
    part.since = since;
    part.agents = change_->agents;
    part.gone = change_->gone;
    return bytes = std::make_shared<const std::string>(codec::encode(part));
  }

 private:
  const AgentOrder& order_;
  std::optional<elastic::AgentChange> change_;
  std::map<std::uint64_t, Bytes> by_since_;
};

}  // namespace

std::vector<AgentNews::Word> AgentNews::words(const AgentOrder& order,
                                              const std::vector<HostId>& hosts,
                                              const std::function<bool(HostId)>& takes) {
  Told& told = jobs_[order.job];
  if (told.attempt != order.attempt) told = {order.attempt, "", {}, {}};
  Encoded encoded(order, elastic::change_between(told.places, order.agents));
  auto head = head_of(order);
  bool same = head == told.head && encoded.changes_nothing();
  std::vector<Word> words;
  std::map<HostId, std::uint64_t> kept;
  for (HostId host : hosts) {
    auto known = told.hosts.find(host);
    bool knows = known != told.hosts.end() && encoded.has_change() && takes(host);
    kept[host] = knows && same ? known->second : order.generation;
    if (knows && same) continue;
    words.push_back({host, encoded.of(knows ? known->second : 0)});
  }
  told.hosts = std::move(kept);  // one that is left out here has to be told everything again
  told.head = std::move(head);
  told.places = order.agents;
  return words;
}

void AgentNews::forget_told(HostId host) {
  for (auto& [job, told] : jobs_) told.hosts.erase(host);
}

}  // namespace wm::master
