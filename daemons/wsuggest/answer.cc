#include "daemons/wsuggest/answer.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "libwm/search/search.h"

namespace wm::suggester {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMostWanted = 10000;

std::string dumped(const Json& question, const char* key) {
  auto found = question.find(key);
  return found == question.end() ? "null" : found->dump();
}

Result<std::uint32_t> wanted_of(const Json& question) {
  auto found = question.find("wanted");
  if (found == question.end()) return std::uint32_t{1};
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > kMostWanted)
    return fail(Code::BadArgument, "wanted is not a number up to 10000");
  return found->get<std::uint32_t>();
}

Result<Json> suggested(const Json& question) {
  WM_TRY(auto wanted, wanted_of(question));
  WM_TRY(auto text,
         search::suggest(dumped(question, "search"), dumped(question, "history"), wanted));
  return Json::parse(text);
}

Result<Json> best(const Json& question) {
  WM_TRY(auto found, search::best(dumped(question, "search"), dumped(question, "history")));
  Json trial;
  if (found) trial = {{"index", found->index}, {"value", found->value}};
  return Json{{"best", std::move(trial)}};
}

Result<Json> answered(const Json& question) {
  if (!question.is_object()) return fail(Code::BadArgument, "the question is not an object");
  auto ask = question.find("ask");
  if (ask == question.end() || *ask == "suggest") return suggested(question);
  if (*ask == "best") return best(question);
  if (*ask != "check") return fail(Code::BadArgument, "ask: suggest, best or check is wanted");
  WM_TRY(search::check(dumped(question, "search")));
  return Json::object();
}

Json id_of(const Json& question) {
  if (!question.is_object() || !question.contains("id")) return nullptr;
  return question["id"];
}

}  // namespace

std::string answer(std::string_view line) {
  Json id;
  try {
    auto question = Json::parse(line, nullptr, false);
    id = id_of(question);
    Result<Json> found = question.is_discarded()
                             ? Result<Json>(fail(Code::BadArgument, "the question is not JSON"))
                             : answered(question);
    Json json = found ? std::move(*found) : Json{{"error", found.error().text}};
    json["id"] = id;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const std::exception& e) {  // memory, above all: a line is anybody's
    return Json{{"id", id}, {"error", e.what()}}.dump(-1, ' ', false,
                                                      Json::error_handler_t::replace);
  }
}

}  // namespace wm::suggester
