#include "daemons/wagent/plain_body.h"

namespace wm::wagent {

PlainBody::PlainBody(boost::asio::io_context& loop, const Settings& settings, LaunchPort& launch,
                     AgentDoors doors, RankPort* ranks)
    : settings_(settings),
      launch_(launch),
      doors_(std::move(doors)),
      ranks_(ranks),
      node_(loop, settings.node_socket,
            {[this] { introduce(); }, [this](const NodeToAgent& words) { on(words); }}) {}

void PlainBody::introduce() {
  AgentUp up{doors_.launch, doors_};
  node_.send({settings_.job, settings_.attempt, settings_.host, up});
}

void PlainBody::on(const NodeToAgent& words) {
  if (auto* order = std::get_if<AgentOrder>(&words)) {
    launch_.on_order(*order);
    if (ranks_ != nullptr) ranks_->on_order(*order);
  }
  if (std::get_if<NodeHeartbeat>(&words)) launch_.open_consoles();
  auto* gone = std::get_if<TaskGone>(&words);
  if (gone != nullptr && ranks_ != nullptr) ranks_->on_gone(gone->task);
}

void PlainBody::report(TaskNumber task, const std::string& why) { say(TaskFaulty{task, why}); }

}  // namespace wm::wagent
