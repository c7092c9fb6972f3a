#include "libwm/view/acts.h"

#include <iterator>

#include "libwm/view/format.h"
#include "libwm/view/times.h"

namespace wm::view {
namespace {

constexpr std::string_view kHostActs[] = {"hclose", "hopen", "hdead", "gclose", "gopen"};
constexpr std::string_view kQueueActs[] = {"qclose", "qopen", "qinact", "qact"};
constexpr std::string_view kMasterActs[] = {"reconfig", "rebuild-acct", "clock-trust"};
constexpr std::string_view kDoorActs[] = {"logon",     "logoff",     "limited",   "token-revoke",
                                          "token-key", "key-create", "key-revoke"};
// What administrators did: log-ons are many.
constexpr std::string_view kAdminActs[] = {
    "hclose",    "hopen",   "hdead",   "gclose",   "gopen",        "qclose",
    "qopen",     "qinact",  "qact",    "reconfig", "rebuild-acct", "token-revoke",
    "token-key", "brsvadd", "brsvmod", "brsvdel",  "brun",         "bgadd",
    "bgmod",     "bgdel",   "kill",    "requeue",  "release",      "resize",
    "switch",    "limit",   "move",    "migrate",  "post",         "clock-trust"};

}  // namespace

std::vector<std::string> acts_of(std::string_view word) {
  if (word == "qhist") return {std::begin(kQueueActs), std::end(kQueueActs)};
  if (word == "hhist") return {std::begin(kHostActs), std::end(kHostActs)};
  if (word == "mbdhist") return {std::begin(kMasterActs), std::end(kMasterActs)};
  if (word == "doorhist") return {std::begin(kDoorActs), std::end(kDoorActs)};
  if (word == "hist") return {std::begin(kAdminActs), std::end(kAdminActs)};
  return {};
}

bool is_history_word(std::string_view word) {
  return word == "hist" || word == "audit" || word == "mbdhist" || word == "qhist" ||
         word == "hhist" || word == "doorhist";
}

std::string act_line(const AuditEntry& entry) {
  std::string text = long_time(entry.at) + ": " + entry.act;
  for (const auto& object : entry.objects) text += " <" + printable(object) + ">";
  text += " by " + printable(entry.by);
  if (!entry.why.empty()) text += ": " + printable(entry.why);
  if (!entry.outcome.empty()) text += " (refused: " + printable(entry.outcome) + ")";
  return text;
}

}  // namespace wm::view
