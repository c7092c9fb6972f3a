#include "libwm/model/event.h"

#include <algorithm>
#include <array>

namespace wm {

std::string_view event_name(const EventBody& body) {
  static constexpr std::array<std::string_view, 61> kNames = {
      "job_submitted",       "job_held",         "job_released",
      "job_dispatched",      "task_started",     "task_ended",
      "task_stuck",          "tasks_added",      "tasks_leaving",
      "task_condemned",      "agent_seen",       "lead_appointed",
      "epoch_entered",       "in_place_seen",    "cap_changed",
      "kill_requested",      "job_purged",       "host_registered",
      "host_silent",         "host_heard",       "host_died",
      "host_closed",         "host_opened",      "queue_changed",
      "config_loaded",       "start_promised",   "job_moved",
      "gpu_marked",          "job_preempted",    "memory_released",
      "wait_recorded",       "job_suspended",    "job_resumed",
      "resize_answered",     "host_fence_began", "host_fence_failed",
      "steps_measured",      "job_parked",       "job_unparked",
      "job_modified",        "job_requeued",     "element_given",
      "array_closed",        "trial_reported",   "reservation_set",
      "reservation_removed", "job_group_set",    "job_group_removed",
      "job_noted",           "job_relocated",    "tokens_revoked",
      "tasks_met",           "taken_over",       "clock_stepped",
      "clock_trusted",       "job_delivered",    "run_described",
      "run_deleted",         "tasks_moving",     "tasks_serving",
      "host_memory_changed"};
  static_assert(kNames.size() == std::variant_size_v<EventBody>);
  return kNames[body.index()];
}

std::int64_t late_ms(const TaskEnded& ended, WallTime since, WallTime now) {
  return ended.at == WallTime{} ? 0 : whole_ms(std::max(ended.at, since), now);
}

JobId job_of(const EventBody& body) {
  return std::visit(
      [](const auto& e) {
        if constexpr (requires { e.job; }) return e.job;
        else return JobId{};
      },
      body);
}

}  // namespace wm
