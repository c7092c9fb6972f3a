// Maxima and ors only: the order in which words arrive cannot matter.
#include "libwm/elastic/status.h"

#include <algorithm>

namespace wm::elastic {
namespace {

struct Merge {
  WorkerStatus& s;

  void operator()(const WorkerHello&) const {}
  void operator()(const WorkerReady& w) const { s.rendezvous = w.rendezvous; }
  void operator()(const WorkerConnected& w) const { s.connected = std::max(s.connected, w.epoch); }
  void operator()(const WorkerConnectFailed&) const {}
  void operator()(const WorkerSwitched& w) const {
    s.epoch = std::max(s.epoch, w.epoch);
    s.connected = std::max(s.connected, w.epoch);
    s.step = std::max(s.step, w.step);
  }
  void operator()(const WorkerFaulted& w) const {
    s.faulted = std::max(s.faulted, w.epoch);
    s.step = std::max(s.step, w.step);
  }
  void operator()(const WorkerProgress& w) const { s.step = std::max(s.step, w.step); }
  void operator()(const WorkerLeft&) const { s.left = true; }
  void operator()(const WorkerDone& w) const {
    s.done = true;
    s.step = std::max(s.step, w.step);
  }
};

}  // namespace

void merge(WorkerStatus& into, const FromWorker& words) { std::visit(Merge{into}, words); }

void merge(WorkerStatus& into, const WorkerStatus& other) {
  if (!other.rendezvous.empty()) into.rendezvous = other.rendezvous;
  into.epoch = std::max(into.epoch, other.epoch);
  into.connected = std::max(into.connected, other.connected);
  into.faulted = std::max(into.faulted, other.faulted);
  into.step = std::max(into.step, other.step);
  into.left = into.left || other.left;
  into.done = into.done || other.done;
}

bool trains(const WorkerStatus& status) {
  return status.epoch && status.faulted < status.epoch && !status.left && !status.done;
}

}  // namespace wm::elastic
