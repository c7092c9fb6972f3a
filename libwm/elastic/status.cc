// Maxima and ors only, within the newest training of the worker's program: the order in which words
// arrive cannot matter.
#include "libwm/elastic/status.h"

#include <algorithm>

namespace wm::elastic {
namespace {

struct Merge {
  WorkerStatus& s;

  /// Steps count within the newest epoch only: a worker that joined anew may stand at a lower one.
  void step(EpochNumber epoch, std::uint64_t step) const {
    if (epoch >= s.epoch) s.step = std::max(s.step, step);
  }
  void operator()(const WorkerHello& w) const {
    if (w.trainings <= s.trainings) return;
    s = WorkerStatus{};
    s.task = w.task;
    s.trainings = w.trainings;
  }
  void operator()(const WorkerReady& w) const { s.rendezvous = w.rendezvous; }
  void operator()(const WorkerConnected& w) const { s.connected = std::max(s.connected, w.epoch); }
  void operator()(const WorkerConnectFailed&) const {}
  void operator()(const WorkerSwitched& w) const {
    if (w.epoch > s.epoch && w.epoch > s.faulted) s.step = w.step;
    step(w.epoch, w.step);
    s.epoch = std::max(s.epoch, w.epoch);
    s.connected = std::max(s.connected, w.epoch);
  }
  void operator()(const WorkerFaulted& w) const {
    s.faulted = std::max(s.faulted, w.epoch);
    step(w.epoch, w.step);
  }
  void operator()(const WorkerProgress& w) const { step(w.epoch, w.step); }
  void operator()(const WorkerLeft&) const { s.left = true; }
  void operator()(const WorkerDone& w) const {
    if (w.trainings < s.trainings) return;
    s.done = true;
    s.step = std::max(s.step, w.step);
  }
};

}  // namespace

void merge(WorkerStatus& into, const FromWorker& words) { std::visit(Merge{into}, words); }

void merge(WorkerStatus& into, const WorkerStatus& other) {
  if (other.trainings < into.trainings) return;
  if (other.trainings > into.trainings) {
    into = other;
    return;
  }
  if (!other.rendezvous.empty()) into.rendezvous = other.rendezvous;
  if (other.epoch > into.epoch) into.step = other.step;
  if (other.epoch == into.epoch) into.step = std::max(into.step, other.step);
  into.epoch = std::max(into.epoch, other.epoch);
  into.connected = std::max(into.connected, other.connected);
  into.faulted = std::max(into.faulted, other.faulted);
  into.left = into.left || other.left;
  into.done = into.done || other.done;
}

bool trains(const WorkerStatus& status) {
  return status.epoch && status.faulted < status.epoch && !status.left && !status.done;
}

}  // namespace wm::elastic
