#include "daemons/wnoded/probe.h"

#include "libwm/base/log.h"

namespace wm::node {
namespace {

constexpr auto kBetween = std::chrono::seconds(30);
/// A job of a second that says nothing for so long has failed.
constexpr auto kLimit = std::chrono::minutes(1);

}  // namespace

void Probe::note_fault() {
  ++faults_;
  if (stage_ != Stage::Quiet) return;
  stage_ = Stage::Due;
  until_ = env_.mono() + kBetween;
}

void Probe::on_tick(Duration kill_grace) {
  if (stage_ == Stage::Quiet || env_.mono() < until_) return;
  if (stage_ == Stage::Due) return ask(kill_grace);
  if (stage_ == Stage::Running) env_.launcher().tell(key_, launch::Finish{"it took too long"});
  again("it took too long");
}

void Probe::ask(Duration kill_grace) {
  stage_ = Stage::Asking;
  until_ = env_.mono() + kLimit;
  ++key_.attempt.value;
  env_.prove([this, key = key_, kill_grace](const Result<launch::Account>& account) {
    if (stage_ != Stage::Asking || key != key_) return;
    if (!account) return again(account.error().text);
    start(*account, kill_grace);
  });
}

void Probe::start(const launch::Account& account, Duration kill_grace) {
  proc::PortRange range{host_.limits.job_port_first, host_.limits.job_port_last};
  auto port = env_.job_ports().lease(key_, range, 0);
  env_.job_ports().release(key_);
  if (!port) return again(port.error().text);
  launch::AttemptSpec spec;
  spec.cluster = host_.cluster;
  spec.key = key_;
  spec.account = account;
  spec.cwd = "/";
  spec.kill_interval = spec.kill_grace = kill_grace;
  spec.files = {{"probe", "a job of the host's own\n", false}};
  launch::TaskSpec task;
  task.task = {1};
  task.argv = {"/bin/sleep", "1"};
  task.env = {"PATH=/usr/bin:/bin", std::string(launch::kAttemptVariable) + "=" +
                                        launch::attempt_marker(host_.cluster, host_.name, key_)};
  spec.tasks = {task};
  stage_ = Stage::Running;
  until_ = env_.mono() + kLimit;
  exited_well_ = false;
  env_.launcher().start(spec);
}

void Probe::again(const std::string& why) {
  log::warn("host_not_well", {{"host", host_.name}, {"why", why}, {"faults", faults_}});
  stage_ = Stage::Due;
  until_ = env_.mono() + kBetween;
}

void Probe::on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word) {
  if (key != key_ || stage_ != Stage::Running) return;
  if (auto* ended = std::get_if<launch::TaskEnded>(&word)) {
    const auto& record = ended->record;
    exited_well_ = record.cause == launch::EndCause::Exited && record.status == 0;
    if (!exited_well_) again(record.text.empty() ? "it failed" : record.text);
  }
  if (auto* over = std::get_if<launch::AttemptEnded>(&word)) {
    if (!exited_well_) return again(over->record.text);
    stage_ = Stage::Quiet;
    log::info("host_well", {{"host", host_.name}, {"faults", faults_}});
    well_(std::exchange(faults_, 0));
  }
}

void Probe::on_shepherd_lost(const launch::AttemptKey& key) {
  if (key != key_) return;
  env_.launcher().sweep({host_.cluster, key, {}, kBetween});
  if (stage_ == Stage::Running) again("its shepherd was lost");
}

}  // namespace wm::node
