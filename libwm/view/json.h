// Role: objects as typed JSON, for programs: the web door and what it serves. A function a noun;
// what each gives is what the field tables list (job_fields.h, host_fields.h …), and nothing else.
// Keys are the tables' names, with the unit where they have one (field.h). Pure.
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::view {

struct LimitRow;

/// How much of an object.
enum class Detail : std::uint8_t {
  Brief,  ///< a row of a list
  Full,   ///< everything, with what belongs to it: tasks, reasons, GPUs, loans
};

/// Who looks, when, and how closely.
struct Viewer {
  WallTime now{};  ///< run and pending times are up to it
  Detail detail = Detail::Full;
  /// What may be seen of the job. One of which the master sent a summary is shown as one all the
  /// same.
  JobInfo info = JobInfo::All;
};

/// One object each: `{…}`. Bytes that are not UTF-8 are replaced, numbers that are none are null.
/// @cost O(text)   @thread any
std::string job_json(const JobView& job, const Viewer& viewer);
std::string host_json(const HostView& host, Detail detail);
std::string queue_json(const QueueView& queue, Detail detail);
std::string plan_json(const PlanView& plan, Detail detail);
std::string app_json(const AppConf& app);
std::string user_json(const UserConf& user);

/// Lists: `[{…},…]`, in the order given. @cost O(text)
std::string jobs_json(std::span<const JobView> jobs, const Viewer& viewer);
std::string hosts_json(std::span<const HostView> hosts, Detail detail);
std::string queues_json(std::span<const QueueView> queues, Detail detail);
std::string plans_json(std::span<const PlanView> plans, Detail detail);
/// A row for each resource that a budget bounds, amounts in hours.
std::string budgets_json(std::span<const BudgetView> budgets);
/// As blimits has them, amounts as "used/limit".
std::string limits_json(std::span<const LimitRow> limits);

/// JSON schema (OpenAPI 3.0) of job_json, made of the same tables. @cost O(fields)
std::string job_schema(Detail detail);

}  // namespace wm::view
