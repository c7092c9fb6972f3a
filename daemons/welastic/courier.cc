#include "daemons/welastic/courier.h"

namespace wm::welastic {

Courier::Courier(boost::asio::io_context& loop, const Settings& settings, LaunchPort& launch,
                 AgentDoors doors)
    : settings_(settings),
      launch_(launch),
      doors_(std::move(doors)),
      node_(loop, settings.node_socket,
            {[this] { introduce(); },
             [this](const NodeToAgent& words) {
               if (auto* order = std::get_if<AgentOrder>(&words)) launch_.on_order(*order);
             }}) {}

void Courier::introduce() {
  AgentUp up{doors_.launch, doors_};
  node_.send({settings_.job, settings_.attempt, settings_.host, up});
  launch_.open_consoles();
}

}  // namespace wm::welastic
