// The web door's verbs: tokens are revoked, doors hear which, and what happens there is kept in the
// record of acts.
#include <algorithm>
#include <span>
#include <string_view>

#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

constexpr std::size_t kMostActs = 100, kLongestText = 300, kMostObjects = 8;
constexpr std::string_view kAnybodys[] = {"key-create", "key-revoke"};
constexpr std::string_view kDoors[] = {"logon", "limited", "token-key"};

bool is_admin(const Service& service, const Call& call) {
  return roles_in_queue(*service.journal.published().config, service.rights, call.caller(), "")
      .admin;
}

void keep(Service& service, AuditEntry entry) {
  if (service.audit.keep) service.audit.keep(std::move(entry));
}

void record_revoke(Service& service, const RevokeRequest& request, const std::string& by,
                   const std::string& outcome) {
  AuditEntry entry;
  entry.at = service.env.clock.wall();
  entry.by = by;
  entry.act = request.log_off ? "logoff" : "token-revoke";
  if (!request.user.empty()) entry.objects.push_back(request.user);
  if (!request.id.empty()) entry.objects.push_back("token " + request.id);
  entry.why = request.why;
  entry.outcome = outcome;
  keep(service, std::move(entry));
}

Result<void> check_revoke(const Service& service, const Call& call, const RevokeRequest& request) {
  if (request.user.empty() && request.id.empty())
    return fail(Code::BadArgument, "name a user or a token");
  if (std::max(request.user.size(), request.id.size()) > kLongestText ||
      request.why.size() > kLongestText)
    return fail(Code::Limit, "a name or reason of more than 300 bytes");
  if (request.user == call.caller().user || is_admin(service, call)) return {};
  return fail(Code::Denied, call.caller().user + ": User permission denied, not an administrator");
}

bool is_among(std::span<const std::string_view> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// Nothing that looks like another entry of the record where it is shown, or moves a terminal.
bool is_one_entry(const std::string& text) {
  return std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 127 || c == '<' || c == '>';
  });
}

Result<void> check_act(const DoorAct& act, const std::string& caller, bool admin) {
  bool own = is_among(kAnybodys, act.act) && act.user == caller;
  bool known = is_among(kAnybodys, act.act) || is_among(kDoors, act.act);
  if (!known) return fail(Code::BadArgument, "'" + act.act + "': no act of the web door");
  if (!own && !admin) return fail(Code::Denied, caller + ": User permission denied");
  bool plain = is_one_entry(act.user) && is_one_entry(act.outcome) &&
               std::ranges::all_of(act.objects, is_one_entry);
  if (!plain) return fail(Code::BadArgument, act.act + ": control characters, or '<' and '>'");
  auto longest = std::max(act.user.size(), act.outcome.size());
  for (const auto& object : act.objects) longest = std::max(longest, object.size());
  if (longest > kLongestText || act.objects.size() > kMostObjects)
    return fail(Code::Limit, act.act + ": more than 300 bytes, or than 8 objects");
  return {};
}

}  // namespace

void revoke(Service& service, const Call& call, const RevokeRequest& request) {
  auto may = check_revoke(service, call, request);
  if (!may) {
    record_revoke(service, request, call.caller().user, may.error().text);
    return call.refuse(may.error());
  }
  auto whole_life = service.env.clock.wall() + Duration(std::chrono::seconds(kTokenLife));
  auto until = request.until == WallTime{} ? whole_life : std::min(request.until, whole_life);
  Proposal proposal;
  proposal.events.push_back(
      TokensRevoked{request.user, request.id, until, call.caller().user, request.why});
  Answer<RevokeReply> answer = [](const auto& results) -> Result<RevokeReply> {
    for (const auto& result : results)
      if (!holds(result)) return result.error();
    return RevokeReply{};
  };
  service.answers.commit(
      call, request.request_key, std::move(proposal), std::move(answer),
      [&service, request, by = call.caller().user] { record_revoke(service, request, by, ""); });
}

void revoked(Service& service, const Call& call, const RevokedRequest& request) {
  auto question = "revoked," + codec::encode(request);
  auto look = [&service, request, question](
                  bool over, Watchers::Made& made) -> std::optional<Result<std::string>> {
    const auto& now = *service.journal.published().revoked;
    if (!request.at_once && now.changed == request.known && !over) return std::nullopt;
    if (auto known = made.find(question); known != made.end()) return known->second;
    return made.emplace(question, Call::encoded(RevokedReply{now})).first->second;
  };
  service.watchers.add(call, request.patience, std::move(look));
}

void note(Service& service, const Call& call, const NoteRequest& request) {
  if (request.acts.size() > kMostActs)
    return call.refuse(fail(Code::Limit, "more than 100 acts at once"));
  bool admin = is_admin(service, call);
  for (const auto& act : request.acts)
    if (auto may = check_act(act, call.caller().user, admin); !may) return call.refuse(may.error());
  for (const auto& act : request.acts) {
    AuditEntry entry;
    entry.at = admin && act.at != WallTime{} ? act.at : service.env.clock.wall();
    entry.by = act.user;
    entry.act = act.act;
    entry.objects = act.objects;
    if (act.act == "logon" || act.act == "limited")
      entry.objects.insert(entry.objects.begin(), act.user);
    entry.outcome = act.outcome;
    keep(service, std::move(entry));
  }
  service.answers.commit_all(call, request.request_key, {}, NoteReply{});
}

}  // namespace wm::master::verbs
