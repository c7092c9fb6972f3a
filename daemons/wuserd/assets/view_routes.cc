// The rows of /api/v1 about views of pages that are kept: one's own, and those of a project, which
// its members have too.
#include <filesystem>
#include <mutex>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/view_list.h"

namespace wm::user {
namespace {

constexpr Bytes kLongestViews{2 << 20};

std::mutex& views_lock() {
  static std::mutex lock;
  return lock;
}

// One's own, or those of the project that the first argument names.
template <bool kOfProject>
Result<std::string> views_path(Call& call) {
  if constexpr (!kOfProject) return call.site.results_root + "/views.json";
  WM_TRY(auto project, projects_of(call.site).project(call.args[0]));
  return call.site.results_root + "/projects/" + project.name + "/views.json";
}

Result<std::vector<rest::SavedView>> read_views(const std::string& path) {
  auto text = read_file(path, kLongestViews);
  if (text) return rest::parse_views(*text);
  if (text.error().code == Code::NotFound) return std::vector<rest::SavedView>();
  return text.error();
}

template <bool kOfProject>
Result<Answer> list_views(Call& call) {
  WM_TRY(auto path, views_path<kOfProject>(call));
  WM_TRY(auto views, read_views(path));
  return json_reply(rest::views_json(views));
}

template <bool kOfProject>
Result<Answer> keep_view(Call& call) {
  WM_TRY(auto path, views_path<kOfProject>(call));
  WM_TRY(auto json, json_in(call));
  rest::SavedView view;
  view.name = call.args.back();
  WM_TRY(view.page, text_in(json, "page"));
  WM_TRY(view.search, text_in(json, "search"));
  view.by = call.guest.empty() ? call.site.user : call.guest;
  std::lock_guard guard(views_lock());
  WM_TRY(auto views, read_views(path));
  WM_TRY(rest::put_view(views, view));
  std::error_code ec;  // that of a project that nothing was put into yet is made
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  WM_TRY(replace_file(path, rest::views_json(views), 0600));
  return json_reply(rest::views_json(views));
}

template <bool kOfProject>
Result<Answer> drop_view(Call& call) {
  WM_TRY(auto path, views_path<kOfProject>(call));
  std::lock_guard guard(views_lock());
  WM_TRY(auto views, read_views(path));
  WM_TRY(rest::drop_view(views, call.args.back()));
  WM_TRY(replace_file(path, rest::views_json(views), 0600));
  return done();
}

}  // namespace

#define PROJECT_VIEWS "/api/v1/projects/{project}/views"
const std::vector<Route>& view_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/views", list_views<false>, "One's own views of pages, by name", "views"},
      {"PUT", "/api/v1/views/{name}", keep_view<false>, "Keeps one, in place of one of its name",
       "views"},
      {"DELETE", "/api/v1/views/{name}", drop_view<false>, "It is kept no more"},
      {"GET", PROJECT_VIEWS, list_views<true>, "Views that a project's members have", "views"},
      {"PUT", PROJECT_VIEWS "/{name}", keep_view<true>, "Keeps one for its members", "views"},
      {"DELETE", PROJECT_VIEWS "/{name}", drop_view<true>, "Its members have it no more"},
  };
  return routes;
}

}  // namespace wm::user
