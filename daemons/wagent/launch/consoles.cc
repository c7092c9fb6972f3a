#include "daemons/wagent/launch/consoles.h"

#include <signal.h>

#include <algorithm>

#include "libwm/base/log.h"

namespace wm::wagent {
namespace {

/// A viewer that lost its connection may come back within this time.
constexpr std::chrono::seconds kAbandoned{10};

}  // namespace

Consoles::Consoles(boost::asio::io_context& loop, Say say)
    : loop_(loop), say_(std::move(say)), reception_(loop, [this](Fd caller) {
        auto arrival =
            std::make_shared<Result<proc::ConsoleArrival>>(proc::receive_console(caller.get()));
        return [this, arrival] { admit(std::move(*arrival)); };
      }) {}

Consoles::~Consoles() {
  for (auto& [task, console] : consoles_) console.streams->close();
}

void Consoles::admit(Result<proc::ConsoleArrival> arrival) {
  if (!arrival) return log::warn("console_refused", {{"reason", arrival.error().text}});
  auto task = arrival->task;
  if (consoles_.contains(task)) return log::warn("console_twice", {{"task", task.value}});
  auto& console = consoles_.try_emplace(task, loop_).first->second;
  console.pid = arrival->pid;
  console.streams = std::make_shared<StreamSet>(loop_, std::move(arrival->ends));
  if (ending_) expect_viewer(task);  // it ended as fast as it came
  connect(task);
}

void Consoles::attach(Viewer viewer, const LaunchAttach& words) {
  for (auto at = viewers_.begin(); at != viewers_.end();) {
    auto old = at++;
    if (old->second.task != words.task) continue;
    auto number = old->first;
    viewers_.erase(old);
    say_(number, LaunchEnded{0, true, "somebody else has taken over this console"});
  }
  viewers_[viewer] = words;
  connect(words.task);
}

/// Brings a console and the viewer that asked for it together, when both are there.
void Consoles::connect(TaskNumber task) {
  auto at = consoles_.find(task);
  auto asked = std::find_if(viewers_.begin(), viewers_.end(),
                            [&](const auto& v) { return v.second.task == task; });
  if (at == consoles_.end() || asked == viewers_.end()) return;
  auto& console = at->second;
  auto viewer = console.viewer = asked->first;
  console.timer.cancel();
  say_(viewer, LaunchUp{console.pid});
  if (asked->second.rows != 0) console.streams->resize({asked->second.rows, asked->second.columns});
  console.streams->serve({[this, viewer](std::uint32_t stream, std::string bytes) {
                            say_(viewer, LaunchOutput{stream, std::move(bytes)});
                          },
                          [this, viewer](std::uint64_t bytes) { say_(viewer, LaunchTaken{bytes}); },
                          [this, task] { on_end(task); }});
}

void Consoles::on_end(TaskNumber task) {
  auto& console = consoles_.at(task);
  console.over = true;
  auto viewer = std::exchange(console.viewer, 0);
  viewers_.erase(viewer);
  say_(viewer, LaunchEnded{});
}

void Consoles::on(Viewer viewer, const ToLaunch& words) {
  auto asked = viewers_.find(viewer);
  auto at = asked == viewers_.end() ? consoles_.end() : consoles_.find(asked->second.task);
  if (at == consoles_.end() || at->second.over) return;
  auto& console = at->second;
  if (auto* input = std::get_if<LaunchInput>(&words)) console.streams->write(input->bytes);
  else if (auto* taken = std::get_if<LaunchTaken>(&words)) console.streams->taken(taken->bytes);
  else if (auto* size = std::get_if<LaunchResize>(&words))
    console.streams->resize({size->rows, size->columns});
  else if (auto* signal = std::get_if<LaunchSignal>(&words)) ::kill(-console.pid, signal->signal);
}

void Consoles::leave(Viewer viewer) {
  auto asked = viewers_.find(viewer);
  if (asked == viewers_.end()) return;
  auto task = asked->second.task;
  viewers_.erase(asked);
  auto at = consoles_.find(task);
  if (at == consoles_.end() || at->second.over || at->second.viewer != viewer) return;
  at->second.viewer = 0;
  at->second.streams->leave();
  expect_viewer(task);
}

/// Its output is kept for a while for somebody who comes.
void Consoles::expect_viewer(TaskNumber task) {
  auto& timer = consoles_.at(task).timer;
  timer.expires_after(kAbandoned);
  timer.async_wait([this, task](const auto& error) {
    if (!error) abandon(task);
  });
}

/// What a terminal does that is switched off.
void Consoles::abandon(TaskNumber task) {
  auto& console = consoles_.at(task);
  if (console.viewer != 0 || console.over) return;
  log::info("console_abandoned", {{"task", task.value}});
  console.over = true;
  if (!ending_) ::kill(-console.pid, SIGHUP);
  console.streams->close();
}

bool Consoles::idle() const {
  return !reception_.is_hearing() &&
         std::all_of(consoles_.begin(), consoles_.end(),
                     [](const auto& entry) { return entry.second.over; });
}

void Consoles::end() {
  ending_ = true;
  for (const auto& [task, console] : consoles_)
    if (!console.over && console.viewer == 0) expect_viewer(task);
}

}  // namespace wm::wagent
