#include "libwm/rest/view_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestViewName = 100, kLongestSearch = 4000;

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// "/runs": a way of small letters, which a page goes to; "//host" would lead elsewhere.
bool is_page(std::string_view page) {
  bool plain = std::ranges::all_of(page, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '-';
  });
  return page.size() >= 2 && page.size() <= 64 && page[0] == '/' && page[1] != '/' && plain;
}

std::string member(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::vector<SavedView> parse_views(std::string_view text) {
  std::vector<SavedView> views;
  auto json = json_or_null(text);
  if (!json.is_object() || !json.contains("views") || !json["views"].is_array()) return views;
  for (const auto& one : json["views"]) {
    if (!one.is_object()) continue;
    SavedView view{member(one, "name"), member(one, "page"), member(one, "search"),
                   member(one, "by")};
    if (!view.name.empty() && is_page(view.page)) views.push_back(std::move(view));
  }
  return views;
}

std::string views_json(const std::vector<SavedView>& views) {
  Json list = Json::array();
  for (const auto& view : views)
    list.push_back(
        {{"name", view.name}, {"page", view.page}, {"search", view.search}, {"by", view.by}});
  return wm::to_text(Json{{"views", list}});
}

Result<void> put_view(std::vector<SavedView>& views, const SavedView& view) {
  if (view.name.empty() || view.name.size() > kLongestViewName || has_control(view.name))
    return fail(Code::BadArgument,
                "name: up to " + std::to_string(kLongestViewName) + " bytes are wanted");
  if (!is_page(view.page))
    return fail(Code::BadArgument, "page: the way of a page is wanted, as /runs");
  if (view.search.size() > kLongestSearch || has_control(view.search))
    return fail(Code::BadArgument,
                "search: up to " + std::to_string(kLongestSearch) + " bytes are wanted");
  auto found = std::ranges::find(views, view.name, &SavedView::name);
  if (found != views.end()) {
    *found = view;
    return {};
  }
  if (views.size() >= kMostViews)
    return fail(Code::Limit, "there are " + std::to_string(kMostViews) + " views: drop some first");
  views.push_back(view);
  return {};
}

Result<void> drop_view(std::vector<SavedView>& views, const std::string& name) {
  if (std::erase_if(views, [&](const SavedView& one) { return one.name == name; }) > 0) return {};
  return fail(Code::NotFound, "there is no view " + name.substr(0, 200));
}

}  // namespace wm::rest
