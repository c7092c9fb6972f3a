#include "libwm/rest/run_request.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

constexpr const char* kRunWordsKnown[] = {
    "user", "name",    "state",      "type",     "framework", "plan",   "project", "queue",
    "app",  "service", "label",      "tag",      "text",      "search", "starred", "shelved",
    "from", "to",      "ended_from", "ended_to", "order",     "cursor", "limit",   "count"};

Error bad_run_word(const std::string& word, const std::string& value, const char* wanted) {
  return fail(Code::BadArgument, word + "=" + value.substr(0, 200) + ": " + wanted + " is wanted");
}

Result<std::uint32_t> run_number(const std::string& word, const std::string& value) {
  std::uint32_t number = 0;
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (ec != std::errc() || end != value.data() + value.size())
    return bad_run_word(word, value, "a number");
  return number;
}

Result<std::optional<bool>> run_flag(const std::string& word, const std::string& value) {
  if (value.empty() || value == "any") return std::optional<bool>();
  if (value == "true" || value == "1") return std::optional(true);
  if (value == "false" || value == "0") return std::optional(false);
  return bad_run_word(word, value, "true, false or any");
}

// Seconds since 1970, as finish_time and the like are told.
Result<std::optional<WallTime>> run_time(const std::string& word, const std::string& value) {
  if (value.empty()) return std::optional<WallTime>();
  double seconds = 0;
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  bool good = ec == std::errc() && end == value.data() + value.size();
  if (!good || !(seconds >= 0) || seconds > 1e11)
    return bad_run_word(word, value, "a time in seconds since 1970");
  return std::optional(WallTime(Duration(static_cast<std::int64_t>(seconds * 1e6))));
}

constexpr JobState kRunStates[] = {JobState::Pending,  JobState::Held,    JobState::Launching,
                                   JobState::Running,  JobState::Unknown, JobState::Suspended,
                                   JobState::Finished, JobState::Failed,  JobState::Killed,
                                   JobState::Error};

Result<std::vector<JobState>> run_states(const std::string& value) {
  std::vector<JobState> states;
  for (std::size_t at = 0; at < value.size();) {
    auto end = std::min(value.find(',', at), value.size());
    auto word = value.substr(at, end - at);
    auto known = std::find_if(std::begin(kRunStates), std::end(kRunStates),
                              [&](JobState state) { return state_name(state) == word; });
    if (known == std::end(kRunStates))
      return bad_run_word(
          "state", word,
          "pending, held, launching, running, unknown, suspended, finished, failed, "
          "killed or error");
    states.push_back(*known);
    at = end + 1;
  }
  return states;
}

Result<std::optional<AppType>> run_kind(const std::string& value) {
  if (value.empty()) return std::optional<AppType>();
  for (auto kind : {AppType::Batch, AppType::Training, AppType::Notebook, AppType::Inference})
    if (to_string(kind) == value) return std::optional(kind);
  return bad_run_word("type", value, "batch, training, notebook or inference");
}

Result<void> read_place(const Target& target, RunsRequest& request) {
  auto order = target.value("order");
  if (!order.empty() && order != "oldest" && order != "newest")
    return bad_run_word("order", order, "newest or oldest");
  request.query.oldest_first = order == "oldest";
  if (auto cursor = target.value("cursor"); !cursor.empty()) {
    WM_TRY(auto at, run_number("cursor", cursor));
    (request.query.oldest_first ? request.query.from : request.query.to) = at;
  }
  if (auto limit = target.value("limit"); !limit.empty()) {
    WM_TRY(request.limit, run_number("limit", limit));
    if (request.limit == 0 || request.limit > kMostRunsInPage)
      return bad_run_word("limit", limit, "a number from 1 to 1000");
  }
  WM_TRY(auto count, run_flag("count", target.value("count")));
  request.count = count.value_or(false);
  return {};
}

Json exec_words(const JobView& head) {
  const auto& exec = head.job->spec().exec;
  Json labels = Json::object();
  for (const auto& [key, value] : exec.labels) labels[key] = value;
  return {{"args", exec.args},
          {"framework", exec.framework},
          {"labels", std::move(labels)},
          {"made_of", origin_of(exec.labels)}};
}

Json run_object(const RunView& run, std::string_view cluster, bool own) {
  const auto& facts = run.facts;
  const auto& words = facts.words;
  Json json{{"id", std::to_string(facts.job)},
            {"exec_id", exec_id(cluster, {facts.job, 0})},
            {"state", state_name(facts.state)},
            {"kept", facts.kept},
            {"own", own},
            {"elements", facts.elements},
            {"description", words.description},
            {"note", words.note},
            {"tags", words.tags},
            {"starred", words.starred},
            {"shelved", words.shelved},
            {"etag", words_tag(words)}};
  Json counts = Json::object();
  for (const auto& [state, n] : facts.counts) counts[std::string(state_name(state))] = n;
  json["counts"] = std::move(counts);
  if (run.parts.empty()) return json;
  const auto& head = run.parts.front();
  const auto& job = *head.job;
  const auto& spec = job.sealed->spec;
  WallTime started = job.times.started, ended = job.times.ended;
  for (const auto& part : run.parts) ended = std::max(ended, part.job->times.ended);
  json["name"] = words.name.empty() ? spec.name : words.name;
  json["job_name"] = spec.name;
  json["user"] = spec.owner.user;
  json["type"] = head.app_type;
  json["app"] = head.app;
  json["plan"] = head.plan;
  json["project"] = spec.project;
  json["queue"] = spec.queue;
  json["service"] = spec.exec.service;
  json["search"] = !spec.exec.search.empty();
  json["submit_time"] = epoch_seconds(job.times.submitted);
  json["start_time"] = epoch_seconds(started);
  json["finish_time"] = epoch_seconds(ended);
  json["why"] = job.outcome.text;
  json["result_dir"] = head.result_dir;
  json.update(exec_words(head));
  return json;
}

}  // namespace

Result<RunsRequest> runs_request(const Target& target) {
  for (const auto& [word, value] : target.query)
    if (std::find(std::begin(kRunWordsKnown), std::end(kRunWordsKnown), word) ==
        std::end(kRunWordsKnown))
      return fail(Code::BadArgument, word.substr(0, 200) + ": is no filter of runs");
  RunsRequest request;
  auto& q = request.query;
  for (auto [word, field] : {std::pair{"user", &q.user},
                             {"name", &q.name},
                             {"framework", &q.framework},
                             {"plan", &q.plan},
                             {"project", &q.project},
                             {"queue", &q.queue},
                             {"app", &q.app},
                             {"service", &q.service},
                             {"label", &q.label},
                             {"tag", &q.tag},
                             {"text", &q.text}})
    *field = target.value(word);
  WM_TRY(q.states, run_states(target.value("state")));
  WM_TRY(q.kind, run_kind(target.value("type")));
  WM_TRY(q.search, run_flag("search", target.value("search")));
  WM_TRY(q.starred, run_flag("starred", target.value("starred")));
  auto shelved = target.value("shelved");
  WM_TRY(q.shelved, run_flag("shelved", shelved.empty() ? "false" : shelved));
  WM_TRY(q.submitted_from, run_time("from", target.value("from")));
  WM_TRY(q.submitted_to, run_time("to", target.value("to")));
  WM_TRY(q.ended_from, run_time("ended_from", target.value("ended_from")));
  WM_TRY(q.ended_to, run_time("ended_to", target.value("ended_to")));
  WM_TRY(read_place(target, request));
  return request;
}

std::string run_json(const RunView& run, std::string_view cluster, bool own) {
  return wm::to_text(run_object(run, cluster, own));
}

std::string runs_json(const RunsReply& reply, const RunsRequest& request, std::string_view cluster,
                      const std::string& own) {
  Json runs = Json::array();
  for (const auto& run : reply.runs) {
    bool is_own = !run.parts.empty() && run.parts.front().job->spec().owner.user == own;
    runs.push_back(run_object(run, cluster, is_own));
  }
  Json json{{"runs", std::move(runs)}};
  if (reply.next) json["next"] = std::to_string(reply.next);
  if (request.count)
    json["count"] =
        reply.count > kMostCounted ? Json(std::to_string(kMostCounted) + "+") : Json(reply.count);
  return wm::to_text(json);
}

Result<RunWords> patched_words(const RunWords& words, const std::string& body) {
  WM_TRY(auto json, parse_json(body));
  if (!json.is_object()) return fail(Code::BadArgument, "an object of JSON is wanted");
  RunWords next = words;
  for (const auto& [key, value] : json.items()) {
    auto wanted = [&](const char* what) {
      return fail(Code::BadArgument, key.substr(0, 200) + ": " + what + " is wanted");
    };
    bool text = key == "name" || key == "description" || key == "note";
    bool flag = key == "starred" || key == "shelved";
    if (text && !value.is_string()) return wanted("a text");
    if (flag && !value.is_boolean()) return wanted("true or false");
    if (key == "name") next.name = value;
    else if (key == "description") next.description = value;
    else if (key == "note") next.note = value;
    else if (key == "starred") next.starred = value;
    else if (key == "shelved") next.shelved = value;
    else if (key != "tags") return fail(Code::BadArgument, key.substr(0, 200) + ": is no field");
    if (key != "tags") continue;
    if (!value.is_array()) return wanted("a list of texts");
    next.tags.clear();
    for (const auto& tag : value) {
      if (!tag.is_string()) return wanted("a list of texts");
      next.tags.push_back(tag);
    }
  }
  return next;
}

std::string words_tag(const RunWords& words) {
  Json json{words.name, words.description, words.note, words.tags, words.starred, words.shelved};
  return hex(wm::hash_of(wm::to_text(json))).substr(0, 16);
}

}  // namespace wm::rest
