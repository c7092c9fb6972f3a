// Typed JSON, and the commands' own with texts only (format.h); nlohmann stays in this file.
#include "libwm/view/json.h"

#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/view/budget_fields.h"
#include "libwm/view/conf_fields.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/host_fields.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/load_fields.h"
#include "libwm/view/plan_fields.h"
#include "libwm/view/queue_fields.h"
#include "libwm/view/tally.h"
#include "libwm/view/why_fields.h"

namespace wm::view {
namespace {

Json json_of(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) return nullptr;
        else if constexpr (std::is_same_v<Held, WallTime>) return epoch_seconds(held);
        else if constexpr (std::is_same_v<Held, Duration>)
          return std::chrono::duration<double>(held).count();
        else if constexpr (std::is_same_v<Held, Bytes>) return held.value;
        else return held;
      },
      value);
}

// Which rows of a table.
struct Rows {
  Detail detail = Detail::Full;
  bool summary = false;  // without what is private
};

bool is_shown(Where where, const Rows& rows) {
  Where needed = rows.detail == Detail::Brief ? kBrief : kFull;
  return (where & needed) == needed && !(rows.summary && (where & kPrivate));
}

template <class T>
void add_fields(Json& object, std::span<const Field<T>> table, const T& from, const Rows& rows) {
  for (const auto& row : table)
    if (is_shown(row.where, rows)) object[key_of(row.field, row.type)] = json_of(row.value(from));
}

template <class T>
Json list_of(std::span<const Field<T>> table, const std::vector<T>& objects,
             const Rows& rows = {}) {
  Json list = Json::array();
  for (const auto& object : objects) add_fields(list.emplace_back(), table, object, rows);
  return list;
}

// In the order in which they decide.
Json order_of(const JobView& job) {
  Json list = Json::array();
  for (const auto& term : job.priority)
    list.push_back({{"name", term.name}, {"value", term.value}, {"text", term.text}});
  return list;
}

Json object_of(const JobView& job, const Viewer& viewer) {
  Rows rows{viewer.detail, viewer.info != JobInfo::All || is_summary(job)};
  Json object;
  ShownJob shown{&job, viewer.now};
  add_fields(object, job_fields(), shown, rows);
  add_fields(object, more_job_fields(), shown, rows);
  if (viewer.detail == Detail::Brief) return object;
  object["tasks"] = list_of(task_fields(), shown_tasks(job));
  rows.detail = Detail::Brief;  // without the job's number
  object["reasons"] = list_of(reason_fields(), reasons_of(std::span(&job, 1)), rows);
  if (!rows.summary) object["order"] = order_of(job);
  return object;
}

Json object_of(const HostView& host, Detail detail) {
  Json object;
  add_fields(object, host_fields(), host, {detail});
  add_fields(object, more_host_fields(), host, {detail});
  if (detail == Detail::Brief) return object;
  add_fields(object["load_indexes"], load_fields(), ShownHost{&host, nullptr}, {detail});
  object["gpus"] = list_of(gpu_fields(), gpu_rows(std::span(&host, 1)));
  return object;
}

Json object_of(const QueueView& queue, Detail detail) {
  Json object;
  add_fields(object, queue_fields(), queue, {detail});
  add_fields(object, more_queue_fields(), queue, {detail});
  return object;
}

Json object_of(const PlanView& plan, Detail detail) {
  Json object;
  add_fields(object, plan_fields(), plan, {detail});
  add_fields(object, more_plan_fields(), plan, {detail});
  if (detail == Detail::Full) object["loans"] = list_of(loan_fields(), plan.loans);
  return object;
}

// What a field can be, as OpenAPI says it: a number or a moment may be none, a text is empty then.
Json schema_of(Type type) {
  switch (type) {
    case Type::String: return {{"type", "string"}};
    case Type::Int:
    case Type::Bytes: return {{"type", "integer"}, {"nullable", true}};
    case Type::Real:
    case Type::Time:
    case Type::Duration: return {{"type", "number"}, {"nullable", true}};
    case Type::Bool: return {{"type", "boolean"}};
    case Type::List: return {{"type", "array"}, {"items", {{"type", "string"}}}};
  }
  return Json::object();
}

template <class T>
void add_schemas(Json& schema, std::span<const Field<T>> table, Detail detail) {
  for (const auto& row : table) {
    if (!is_shown(row.where, {detail})) continue;
    auto key = key_of(row.field, row.type);
    schema["properties"][key] = schema_of(row.type);
    if (!(row.where & kPrivate)) schema["required"].push_back(key);
  }
}

template <class T>
Json list_schema(std::span<const Field<T>> table, Detail detail) {
  Json item{{"type", "object"}};
  add_schemas(item, table, detail);
  return {{"type", "array"}, {"items", std::move(item)}};
}

template <class T, class How>
std::string array_text(std::span<const T> objects, const How& how) {
  Json list = Json::array();
  for (const auto& object : objects) list.push_back(object_of(object, how));
  return to_text(list);
}

}  // namespace

std::string job_json(const JobView& job, const Viewer& viewer) {
  return to_text(object_of(job, viewer));
}
std::string host_json(const HostView& host, Detail detail) {
  return to_text(object_of(host, detail));
}
std::string queue_json(const QueueView& queue, Detail detail) {
  return to_text(object_of(queue, detail));
}
std::string plan_json(const PlanView& plan, Detail detail) {
  return to_text(object_of(plan, detail));
}

std::string app_json(const AppConf& app) {
  Json object;
  add_fields(object, app_fields(), app, {});
  return to_text(object);
}

std::string user_json(const UserConf& user) {
  Json object;
  add_fields(object, user_fields(), user, {});
  return to_text(object);
}

std::string jobs_json(std::span<const JobView> jobs, const Viewer& viewer) {
  return array_text(jobs, viewer);
}
std::string hosts_json(std::span<const HostView> hosts, Detail detail) {
  return array_text(hosts, detail);
}
std::string queues_json(std::span<const QueueView> queues, Detail detail) {
  return array_text(queues, detail);
}
std::string plans_json(std::span<const PlanView> plans, Detail detail) {
  return array_text(plans, detail);
}

std::string budgets_json(std::span<const BudgetView> budgets) {
  return to_text(list_of(budget_fields(), budget_lines(budgets)));
}

std::string limits_json(std::span<const LimitRow> limits) {
  return to_text(list_of(limit_fields(), std::vector(limits.begin(), limits.end())));
}

std::string job_schema(Detail detail) {
  Json schema{{"type", "object"}};
  add_schemas(schema, job_fields(), detail);
  add_schemas(schema, more_job_fields(), detail);
  if (detail == Detail::Brief) return to_text(schema);
  schema["properties"]["tasks"] = list_schema(task_fields(), Detail::Full);
  schema["properties"]["reasons"] = list_schema(reason_fields(), Detail::Brief);
  Json term{{"type", "object"}};
  for (const char* field : {"name", "text"}) term["properties"][field] = {{"type", "string"}};
  term["properties"]["value"] = {{"type", "number"}};
  schema["properties"]["order"] = {{"type", "array"}, {"items", std::move(term)}};
  schema["required"].push_back("tasks");
  schema["required"].push_back("reasons");
  return to_text(schema);
}

std::string json_text(std::string_view command, std::string_view count_key,
                      std::span<const Record> records) {
  Json list = Json::array();
  for (const auto& record : records) {
    Json object = Json::object();
    for (const auto& [key, value] : record) object[key] = value;
    list.push_back(std::move(object));
  }
  Json document;
  document["COMMAND"] = command;
  document[std::string(count_key)] = records.size();
  document["RECORDS"] = std::move(list);
  return to_text(document, 2) + "\n";
}

}  // namespace wm::view
