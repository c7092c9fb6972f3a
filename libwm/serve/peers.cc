#include "libwm/serve/peers.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace wm::serve {
namespace {

std::optional<Load> read_note(std::string_view note) {
  std::istringstream in{std::string(note)};
  std::uint64_t turn = 0;
  std::int64_t oldest = 0, cost = 0;
  Load load;
  std::string end;
  in >> turn >> load.arrived >> load.queued >> load.in_flight >> oldest >> cost >> load.kernels >>
      end;
  if (!in || end != "end") return std::nullopt;  // half a note
  load.oldest = Duration(oldest);
  load.task_cost = Duration(cost);
  return load;
}

}  // namespace

std::string router_name(std::uint32_t rank) {
  return rank == 0 ? "router" : "router-" + std::to_string(rank);
}

std::string text_of(const RouterTask& task) {
  std::ostringstream out;
  out << task.job << ' ' << task.attempt << ' ' << task.task << '\n';
  return out.str();
}

std::optional<RouterTask> read_router_task(std::string_view text) {
  std::istringstream in{std::string(text)};
  RouterTask task;
  in >> task.job >> task.attempt >> task.task;
  return in ? std::optional(task) : std::nullopt;
}

std::string note_text(const Load& load, std::uint64_t turn) {
  std::ostringstream out;
  out << turn << ' ' << load.arrived << ' ' << load.queued << ' ' << load.in_flight << ' '
      << load.oldest.count() << ' ' << load.task_cost.count() << ' ' << load.kernels << " end\n";
  return out.str();
}

void Peers::heard(std::uint32_t rank, std::string_view note, TimePoint now) {
  auto load = rank == rank_ ? std::nullopt : read_note(note);
  if (!load) return;
  auto [at, is_new] = peers_.try_emplace(rank);
  Peer& peer = at->second;
  if (!is_new && peer.note == note) return;
  // What lay there when it began may be of one that ended long ago.
  if (!is_new) {
    bool again = load->arrived < peer.load.arrived;  // it was started anew
    arrived_ += again ? load->arrived : load->arrived - peer.load.arrived;
    peer.changed = now;
  }
  peer.note = note;
  peer.load = *load;
}

Load Peers::whole(Load own, TimePoint now) const {
  own.arrived += arrived_;
  std::int64_t cost = own.task_cost.count(), knowing = cost > 0;
  for (const auto& [rank, peer] : peers_) {
    if (!is_there(peer, now)) continue;
    own.queued += peer.load.queued;
    own.in_flight += peer.load.in_flight;
    own.oldest = std::max(own.oldest, peer.load.oldest);
    own.kernels = std::max(own.kernels, peer.load.kernels);  // each is at all routers
    cost += peer.load.task_cost.count();
    knowing += peer.load.task_cost.count() > 0;
  }
  if (knowing > 0) own.task_cost = Duration(cost / knowing);
  return own;
}

bool Peers::decides(TimePoint now) const {
  for (const auto& [rank, peer] : peers_)
    if (rank < rank_ && is_there(peer, now)) return false;
  return true;
}

}  // namespace wm::serve
