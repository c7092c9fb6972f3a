#include "daemons/wsuggest/answer.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/json.h"
#include "libwm/search/raw_json.h"
#include "libwm/search/search.h"

namespace wm::suggester {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMostWanted = 10000;

// A question: its members as they are written, for who reads them.
struct Question {
  std::string_view id = "null", ask, wanted, search = "null", history = "null";
};

std::optional<Question> question_in(std::string_view line) {
  auto parts = search::raw_parts(line, true);
  if (!parts) return {};
  Question question;
  for (const auto& [key, text] : *parts) {
    if (key == "id") question.id = text;
    else if (key == "ask") question.ask = text;
    else if (key == "wanted") question.wanted = text;
    else if (key == "search") question.search = text;
    else if (key == "history") question.history = text;
  }
  return question;
}

Result<std::uint32_t> wanted_of(const Question& question) {
  if (question.wanted.empty()) return std::uint32_t{1};
  auto wanted = json_or_null<Json>(question.wanted);
  if (!wanted.is_number_unsigned() || wanted.get<std::uint64_t>() > kMostWanted)
    return fail(Code::BadArgument, "wanted is not a number up to 10000");
  return wanted.get<std::uint32_t>();
}

Result<Json> suggested(const Question& question) {
  WM_TRY(auto wanted, wanted_of(question));
  WM_TRY(auto text, search::suggest(question.search, question.history, wanted));
  return json_or_null<Json>(text);
}

Result<Json> best(const Question& question) {
  WM_TRY(auto found, search::best(question.search, question.history));
  Json trial;
  if (found) trial = {{"index", found->index}, {"value", found->value}};
  return Json{{"best", std::move(trial)}};
}

Result<Json> answered(const Question& question) {
  if (question.ask.empty() || question.ask == "\"suggest\"") return suggested(question);
  if (question.ask == "\"best\"") return best(question);
  if (question.ask != "\"check\"")
    return fail(Code::BadArgument, "ask: suggest, best or check is wanted");
  WM_TRY(search::check(question.search));
  return Json::object();
}

Json id_of(const Question& question) { return json_or_null<Json>(question.id); }

}  // namespace

std::string answer(std::string_view line) {
  Json id;
  try {
    auto question = question_in(line);
    if (question) id = id_of(*question);
    auto found = question ? answered(*question)
                          : Result<Json>(fail(Code::BadArgument, "the question is not JSON"));
    Json json = found ? std::move(*found) : Json{{"error", found.error().text}};
    json["id"] = id;
    return to_text(json);
  } catch (const std::exception& e) {  // memory, above all: a line is anybody's
    return to_text(Json{{"id", id}, {"error", e.what()}});
  }
}

}  // namespace wm::suggester
