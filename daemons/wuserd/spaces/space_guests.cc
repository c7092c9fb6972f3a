// What the owner's wuserd does for those whom a space is shared with: the rows of the guests'
// socket, after which come those about services. The kernel tells who asks, the space's members
// (rest/space_roles.h) what a guest may do.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/spaces/projects.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/routes.h"

namespace wm::user {
namespace {

using rest::SpaceAct;

constexpr std::size_t kLongestMembers = 1 << 20;  // of members

rest::SpaceRole role_in(const rest::Space& space, const Guest& guest) {
  return rest::role_of(space.members, guest.user, guest.groups);
}

/// A space, and what the guest is to it.
struct Shared {
  rest::Space space;
  rest::SpaceRole role;
};

// What the guest may not see is as what is not there.
Result<Shared> shared(const Call& call, const Guest& guest, SpaceAct act) {
  auto found = spaces_of(call.site).space(call.args[0]);
  auto role = found ? role_in(*found, guest) : rest::SpaceRole::None;
  WM_TRY(rest::may(role, act, call.site.user + "~" + call.args[0]));
  return Shared{std::move(*found), role};
}

Result<Answer> list_to_guest(Call& call, const Guest& guest) {
  std::vector<std::string> items;
  for (const auto& space : spaces_of(call.site).spaces()) {
    auto role = role_in(space, guest);
    if (!rest::may(role, SpaceAct::Look, space.name)) continue;
    WM_TRY(auto text, space_text(call.site, space, role, true));
    items.push_back(std::move(text));
  }
  return json_reply(rest::list_json(items));
}

Result<Answer> show_to_guest(Call& call, const Guest& guest) {
  WM_TRY(auto found, shared(call, guest, SpaceAct::Look));
  WM_TRY(auto text, space_text(call.site, found.space, found.role, false));
  return json_reply(text);
}

Result<Answer> share_by_guest(Call& call, const Guest& guest) {
  WM_TRY(auto found, shared(call, guest, SpaceAct::Share));
  WM_TRY(auto body, http::read_body(call.exchange, kLongestMembers));
  WM_TRY(auto space, share_space(call.site, found.space.name, body));
  WM_TRY(auto text, space_text(call.site, space, role_in(space, guest), false));
  return json_reply(text);
}

Result<Answer> add_by_guest(Call& call, const Guest& guest) {
  WM_TRY(auto found, shared(call, guest, SpaceAct::Use));
  Scratch scratch(call.site);
  auto folder = scratch.path + "/package";
  WM_TRY(auto model, model_from_guest(call, folder, call.args.size() > 1 ? call.args[1] : ""));
  model.promoted_by = guest.user;
  auto spaces = spaces_of(call.site);
  WM_TRY(auto keeping, keeping_of(call, kPromote));
  keeping.user = guest.user;
  WM_TRY(auto kept, spaces.keep(found.space.name, model, folder + "/package", keeping));
  return json_reply(model_text(spaces, found.space.name, kept), 201);
}

Result<Answer> remove_by_guest(Call& call, const Guest& guest) {
  WM_TRY(auto found, shared(call, guest, SpaceAct::Use));
  WM_TRY(spaces_of(call.site).remove(AssetKind::Model, found.space.name, call.args[1]));
  return done();
}

Result<Answer> package_to_guest(Call& call, const Guest& guest) {
  WM_TRY(auto found, shared(call, guest, SpaceAct::Use));
  auto spaces = spaces_of(call.site);
  WM_TRY(auto model, spaces.model(found.space.name, call.args[1]));
  Scratch scratch(call.site);
  WM_TRY(auto archive, zip_model(spaces, found.space.name, model.name, scratch.path));
  WM_TRY(send_whole_file(call.exchange, archive, "application/zip"));
  return Answer();
}

Result<Answer> told_by_guest(Call& call, const Guest& guest) {
  know_owner(call.site, guest.user, true);
  return done();
}

constexpr GuestRow kRows[] = {
    {"GET", "/spaces", list_to_guest},
    {"GET", "/spaces/{space}", show_to_guest},
    {"PUT", "/spaces/{space}/members", share_by_guest},
    {"POST", "/spaces/{space}/models", add_by_guest},
    {"PUT", "/spaces/{space}/models/{name}", add_by_guest},
    {"DELETE", "/spaces/{space}/models/{name}", remove_by_guest},
    {"GET", "/spaces/{space}/models/{name}/package", package_to_guest},
    {"POST", "/told", told_by_guest},
};

Result<Answer> dispatch_guest(Site& site, http::Exchange& exchange) {
  WM_TRY(auto guest, guest_of(exchange.peer()));
  WM_TRY(auto target, rest::parse_target(exchange.head().target));
  if (is_about_projects(target)) {
    Call call{exchange, site, std::move(target), {}};
    return project_to_guest(call, guest);
  }
  for (auto rows : {std::span<const GuestRow>(kRows), service_guest_rows()})
    for (const auto& row : rows) {
      auto args = rest::match(row.pattern, target.segments);
      if (!args || row.method != exchange.head().method) continue;
      Call call{exchange, site, std::move(target), std::move(*args)};
      return row.answer(call, guest);
    }
  return fail(Code::NotFound, "no such address");
}

}  // namespace

// As `package` above sends one.
Result<rest::SavedModel> model_from_guest(Call& call, const std::string& folder,
                                          const std::string& name) {
  auto archive = folder + ".zip";
  WM_TRY(receive_package(call.exchange, archive));
  if (auto unpacked = unpack(archive, folder, kFromOthers); !unpacked)
    return fail(Code::BadArgument, unpacked.error().text);
  WM_TRY(auto manifest, read_file(folder + "/manifest.json"));
  WM_TRY(auto model, rest::parse_model(manifest));
  if (!name.empty() && name != model.name)
    return fail(Code::BadArgument, "model '" + model.name + "' is not " + name);
  return model;
}

void answer_guest(Site& site, http::Exchange& exchange) {
  auto made = dispatch_guest(site, exchange);
  if (made && !*made) return;
  http::Head head = exchange.head();
  head.target = "/api/";  // answered as what is asked for there
  (void)exchange.reply(
      made ? **made : error_reply(head.target, status_for(head, made.error()), made.error().text));
}

}  // namespace wm::user
