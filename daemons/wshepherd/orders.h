// Role: what a shepherd does when wnoded tells it something. An order only notes what is wanted;
// what follows of it happens in its place of the turn, so one that comes twice, or late, changes
// nothing.
#pragma once

#include "daemons/wshepherd/parts.h"

namespace wm::shepherd {

/// See the head of this file. @thread the shepherd's
class Orders {
 public:
  explicit Orders(Parts& parts) : parts_(parts), attempt_(parts.attempt) {}

  void on(launch::StartTasks order);
  void on(const launch::EndTasks& order);
  void on(const launch::SignalTasks& order);
  void on(const launch::Finish& order);
  void on(launch::StartAgent order) { parts_.agent.want(std::move(order)); }
  void on(launch::KeepWarm order) { parts_.warm.want(std::move(order)); }
  void on(const launch::Suspend& order) { parts_.acts.suspend(order.on); }
  void on(const launch::LimitRun& order);
  void on(const launch::WriteAsked& order) { parts_.copiers.hand_over(order.task); }
  void on(launch::RestartTasks order);
  void on(const launch::Notice& order);
  /// Those of other processes that the zygote forks, or only ever the first one.
  void on(const launch::AttemptSpec&) {}
  void on(const launch::Sweep&) {}
  void on(const launch::ReadFile&) {}

 private:
  void take_over(std::string memo, const launch::UseLimits& limits);

  Parts& parts_;
  Attempt& attempt_;
};

}  // namespace wm::shepherd
