// Every variable is required: an agent with half a place in the world would be in nobody's way
// to be found.
#include "daemons/wagent/settings.h"

#include <charconv>

#include "libwm/base/hash.h"

namespace wm::wagent {
namespace {

Result<std::string> text(const Lookup& lookup, const char* name) {
  const char* value = lookup(name);
  if (value == nullptr || *value == '\0') {
    return fail(Code::BadArgument, std::string(name) + " is not set");
  }
  return std::string(value);
}

Result<std::uint32_t> number(const Lookup& lookup, const char* name) {
  WM_TRY(auto digits, text(lookup, name));
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value == 0) {
    return fail(Code::BadArgument, std::string(name) + " '" + digits + "': not a number from 1");
  }
  return value;
}

Result<wire::SharedKey> key(const Lookup& lookup, const char* name) {
  WM_TRY(auto digits, text(lookup, name));
  wire::SharedKey key{};
  auto bytes = unhex(digits);
  if (!bytes || bytes->size() != key.size())
    return fail(Code::BadArgument, std::string(name) + ": not 64 hexadecimal digits");
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

}  // namespace

Result<Settings> read_settings(const Lookup& lookup) {
  Settings settings;
  if (const char* path = lookup("WM_ELASTIC_SOCKET")) settings.elastic_socket = path;
  if (const char* path = lookup("WM_AGENT_RESULTS")) settings.results = path;
  WM_TRY(settings.node_socket, text(lookup, "WM_NODE_SOCKET"));
  WM_TRY(settings.address, text(lookup, "WM_AGENT_ADDRESS"));
  WM_TRY(auto job, text(lookup, "WM_AGENT_JOB"));
  auto id = parse_job_id(job);
  if (!id) return id.error().within("WM_AGENT_JOB");
  settings.job = *id;
  WM_TRY(settings.attempt.value, number(lookup, "WM_AGENT_ATTEMPT"));
  WM_TRY(settings.host.value, number(lookup, "WM_AGENT_HOST"));
  WM_TRY(settings.key, key(lookup, "WM_AGENT_KEY"));
  return settings;
}

}  // namespace wm::wagent
