#include "daemons/wuserd/site/space_owner.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "daemons/wuserd/site/guest.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/login/share_words.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOfStarting = 5s;  // until wlogind has said what it did
constexpr std::size_t kLongestFromOwner = 4 << 20;

// As its own wuserd said it: clients get the same code again.
Error error_of(const http::Reply& reply, const std::string& user) {
  auto json = json_or_null(reply.body);
  auto title = text_or_none(json, "title");
  if (title.empty()) title = "the wuserd of " + user + " answers " + std::to_string(reply.status);
  switch (reply.status) {
    case 400: return fail(Code::BadArgument, title);
    case 403: return fail(Code::Denied, title);
    case 404: return fail(Code::NotFound, title);
    case 409: return fail(Code::Conflict, title);
    case 412: return fail(Code::Stale, title);
    case 413: return fail(Code::Limit, title);
    default: return fail(Code::Unavailable, title);
  }
}

Result<std::string> taken(Result<http::Reply> reply, const std::string& user) {
  if (!reply) return reply.error().within("what " + user + " shares");
  if (reply->status >= 300) return error_of(*reply, user);
  return std::move(reply->body);
}

// wlogind starts it where the owner shares something with us. Where there is no wlogind, in a
// private cluster, there is nobody to share with.
bool started_for_us(const Site& site, const std::string& owner) {
  auto fd = http::connect_to(site.door_dir + "/" + rest::kSharesSocket, kOfStarting);
  rest::ShareQuestion question;
  if (!fd || !rest::put(question.owner, owner)) return false;
  Fd wlogind(*fd);
  timeval limit{std::chrono::duration_cast<std::chrono::seconds>(kOfStarting).count(), 0};
  (void)::setsockopt(wlogind.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  rest::LoginAnswer answer;
  bool sent = ::send(wlogind.get(), &question, sizeof question, MSG_NOSIGNAL) ==
              static_cast<ssize_t>(sizeof question);
  bool told = sent && ::recv(wlogind.get(), &answer, sizeof answer, MSG_WAITALL) ==
                          static_cast<ssize_t>(sizeof answer);
  return told && answer.code == static_cast<std::uint32_t>(Code::Ok);
}

}  // namespace

Result<SpaceOwner> SpaceOwner::find(const Site& site, const std::string& user, Duration patience) {
  WM_TRY(auto path, guests_socket(site, user));
  http::ClientBounds bounds{patience, kLongestFromOwner};
  auto client = http::Client::connect(path, bounds);
  if (!client && started_for_us(site, user)) client = http::Client::connect(path, bounds);
  if (!client)
    return fail(Code::Unavailable, user + " is not logged on: what is shared is closed meanwhile");
  return SpaceOwner(user, std::move(*client));
}

Result<std::string> SpaceOwner::ask(std::string_view method, const std::string& target,
                                    std::string body) {
  return taken(client_.send(method, target, std::move(body)), user_);
}

Result<std::string> SpaceOwner::give(std::string_view method, const std::string& target,
                                     const std::string& path) {
  return taken(client_.send_file(method, target, path), user_);
}

Result<http::Reply> SpaceOwner::pass(std::string_view method, const std::string& target,
                                     const http::Fields& fields, const std::string& path) {
  auto reply = client_.send_file(method, target, path, fields);
  if (!reply) return reply.error().within("what " + user_ + " shares");
  if (reply->status >= 300) return error_of(*reply, user_);
  return reply;
}

Result<void> SpaceOwner::fetch(const std::string& target, const std::string& into) {
  WM_TRY(taken(client_.fetch(target, into), user_));
  return {};
}

}  // namespace wm::user
