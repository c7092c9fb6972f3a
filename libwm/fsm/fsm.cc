#include "libwm/fsm/fsm.h"

#include "libwm/fsm/edit.h"

namespace wm::fsm {

void Touched::merge(const Touched& other) {
  orders.insert(other.orders.begin(), other.orders.end());
  agents.insert(other.agents.begin(), other.agents.end());
  jobs.insert(other.jobs.begin(), other.jobs.end());
  hosts.insert(other.hosts.begin(), other.hosts.end());
  schedule = schedule || other.schedule;
}

Touched apply(Cluster& cluster, const Event& event) {
  Touched touched;
  cluster.seq = event.seq;
  cluster.time = event.time;
  std::visit([&](const auto& body) { apply_to(cluster, body, event.time, touched); }, event.body);
  for (auto id : touched.jobs) {
    index_setbacks(cluster, id);
    index_delivery(cluster, id);
    index_job(cluster, id);
  }
  return touched;
}

}  // namespace wm::fsm
