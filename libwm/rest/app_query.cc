#include "libwm/rest/app_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "libwm/rest/app_json.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

Result<std::size_t> number_in(const Target& target, const char* name, std::size_t otherwise) {
  auto text = target.value(name);
  std::size_t value = otherwise;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && (ec != std::errc() || end != text.data() + text.size()))
    return fail(Code::BadArgument, std::string(name) + ": a number is wanted");
  return value;
}

/// A field that applications are sorted by: less of two.
struct Key {
  std::string_view field;
  std::function<bool(const JobView&, const JobView&)> less;
};

template <class Get>
Key key(std::string_view field, Get get) {
  return {field, [get](const JobView& a, const JobView& b) { return get(a) < get(b); }};
}

const std::vector<Key>& keys() {
  static const std::vector<Key> all{
      key("submit_time", [](const JobView& v) { return v.job->times.submitted; }),
      key("start_time", [](const JobView& v) { return v.job->times.started; }),
      key("end_time", [](const JobView& v) { return v.job->times.ended; }),
      key("id", [](const JobView& v) { return v.id; }),
      key("name", [](const JobView& v) { return v.job->spec().name; }),
      key("submit_user", [](const JobView& v) { return v.job->spec().owner.user; }),
      key("consumer", [](const JobView& v) { return v.plan; }),
      key("state", [](const JobView& v) { return app_state(*v.job); }),
      key("priority", [](const JobView& v) { return v.job->spec().user_priority; })};
  return all;
}

// As clients of the first generation call some.
std::string field_named(std::string field) {
  if (field == "applicationid" || field == "driverid") return "id";
  if (field == "applicationname") return "name";
  return field;
}

const Key* key_of(std::string_view field) {
  auto at = std::ranges::find(keys(), field, &Key::field);
  return at == keys().end() ? nullptr : &*at;
}

bool has_state(const JobView& view, const std::string& states) {
  auto state = "," + std::string(app_state(*view.job)) + ",";
  return states.empty() || ("," + states + ",").find(state) != std::string::npos;
}

// Each of them for itself: no text is found across two.
bool holds(const JobView& view, const std::string& search, const std::string& id,
           std::string_view cluster) {
  const auto& spec = view.job->spec();
  const std::string texts[] = {id,
                               spec.name,
                               spec.owner.user,
                               consumer_of(view.plan, cluster),
                               std::string(type_word(view)),
                               std::string(app_state(*view.job))};
  return std::ranges::any_of(
      texts, [&](const auto& text) { return lowered(text).find(search) != std::string::npos; });
}

}  // namespace

Result<AppQuery> read_app_query(const Target& target) {
  AppQuery query;
  query.id = target.value("applicationid");
  if (query.id.empty()) query.id = target.value("driverid");  // rank 0 is the driver
  query.name = target.value("applicationname");
  query.search = target.value("search");
  query.states = target.value("state");
  WM_TRY(query.start, number_in(target, "start", query.start));
  WM_TRY(query.length, number_in(target, "length", query.length));
  auto sort = target.value("sort"), order = target.value("order");
  if (!order.empty() && order != "asc" && order != "desc")
    return fail(Code::BadArgument, "order: asc or desc is wanted");
  if (!sort.empty()) {
    query.descending = sort.starts_with('-');
    query.sort = field_named(sort.substr(query.descending ? 1 : 0));
  }
  if (!order.empty()) query.descending = order == "desc";
  if (key_of(query.sort)) return query;
  std::string known;
  for (const auto& one : keys()) known += (known.empty() ? "" : ", ") + std::string(one.field);
  return fail(Code::BadArgument, "sort: '" + query.sort.substr(0, 40) + "': one of " + known);
}

bool is_found(const AppQuery& query, const JobView& view, std::string_view cluster) {
  auto id = exec_id(cluster, view.id);
  auto search = lowered(query.search);
  return has_state(view, query.states) && (query.id.empty() || query.id == id) &&
         (query.name.empty() || query.name == view.job->spec().name) &&
         (search.empty() || holds(view, search, id, cluster));
}

bool is_of_live_alone(const std::string& states) {
  auto all = "," + states + ",";
  return !states.empty() &&
         std::ranges::none_of(std::array{"FINISHED", "KILLED", "ERROR"}, [&](const char* over) {
           return all.find("," + std::string(over) + ",") != all.npos;
         });
}

std::vector<const JobView*> found(const AppQuery& query, const std::vector<JobView>& views,
                                  std::string_view cluster) {
  std::vector<const JobView*> rows;
  for (const auto& view : views)
    if (is_found(query, view, cluster)) rows.push_back(&view);
  const auto& less = key_of(query.sort)->less;
  std::ranges::sort(rows, [&](const JobView* a, const JobView* b) {
    if (query.descending) std::swap(a, b);
    if (less(*a, *b) || less(*b, *a)) return less(*a, *b);
    return a->id < b->id;
  });
  return rows;
}

}  // namespace wm::rest
