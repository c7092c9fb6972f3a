// A table of keywords, each with the function that reads its value.
#include "libwm/expr/gpu.h"

#include <array>
#include <charconv>
#include <cmath>

#include "libwm/base/excerpt.h"

namespace wm::expr {
namespace {

Error bad(std::string_view key, std::string_view value, const std::string& expected) {
  return fail(Code::BadArgument, "GPU requirement: " + std::string(key) + "=" + excerpt(value) +
                                     ": expected " + expected +
                                     ": Bad resource requirement syntax");
}

// One keyword's value: `rest` is what follows '='.
struct KeyValue {
  std::string_view key, value;
};

Result<void> read_num(KeyValue part, GpuReq& req) {
  auto slash = part.value.find('/');
  auto number = part.value.substr(0, slash);
  double value = 0;
  auto [end, ec] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (ec != std::errc() || end != number.data() + number.size() || !(value >= 0 && value <= 1e5))
    return bad(part.key, part.value, "a number of GPUs");
  req.milli_num = static_cast<std::uint32_t>(std::lround(value * 1000));
  if (slash == std::string_view::npos) return {};
  auto per = part.value.substr(slash + 1);
  if (per != "task" && per != "host") return bad(part.key, part.value, "/task or /host");
  req.per = per == "task" ? Per::Task : Per::Host;
  return {};
}

Result<void> read_mode(KeyValue part, GpuReq& req) {
  if (part.value == "shared") req.mode = GpuMode::Shared;
  else if (part.value == "exclusive_process" || part.value == "exclusive")
    req.mode = GpuMode::Exclusive;
  else return bad(part.key, part.value, "shared or exclusive_process");
  return {};
}

Result<bool> yes_or_no(KeyValue part) {
  if (part.value == "yes" || part.value == "y") return true;
  if (part.value == "no" || part.value == "n") return false;
  return bad(part.key, part.value, "yes or no");
}

template <std::optional<bool> GpuReq::*Member>
Result<void> read_flag(KeyValue part, GpuReq& req) {
  WM_TRY(auto value, yes_or_no(part));
  req.*Member = value;
  return {};
}

// mps=yes[,shared][,nocvd] | no | per_socket | per_gpu
Result<void> read_mps(KeyValue part, GpuReq& req) {
  auto word = part.value.substr(0, part.value.find(','));
  if (word == "per_socket" || word == "per_gpu") word = "yes";
  WM_TRY(auto value, yes_or_no({part.key, word}));
  req.mps = value;
  return {};
}

Result<void> read_see(KeyValue part, GpuReq& req) {
  if (part.value != "own" && part.value != "all") return bad(part.key, part.value, "own or all");
  req.see_all = part.value == "all";
  return {};
}

Result<void> read_vendor(KeyValue part, GpuReq& req) {
  if (part.value != "nvidia" && part.value != "amd")
    return bad(part.key, part.value, "nvidia or amd");
  req.vendor = part.value;
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == text.npos;
}

// GPUs per socket, or "!": as many on each.
Result<void> read_tile(KeyValue part, GpuReq& req) {
  if (part.value != "!" && (!is_number(part.value) || part.value == "0"))
    return bad(part.key, part.value, "a number of GPUs or !");
  req.tile = part.value;
  return {};
}

// "1g.10gb", "1c.3g.40gb", or slices "GI[/CI]".
Result<void> read_mig(KeyValue part, GpuReq& req) {
  auto slash = part.value.find('/');
  bool counted = is_number(part.value.substr(0, slash)) &&
                 (slash == part.value.npos || is_number(part.value.substr(slash + 1)));
  bool named = part.value.find("g.") != part.value.npos && part.value.ends_with("gb") &&
               part.value.find_first_not_of("0123456789cgb.") == part.value.npos;
  if (!counted && !named) return bad(part.key, part.value, "a profile such as 1g.10gb, or GI[/CI]");
  req.mig = part.value;
  return {};
}

template <std::string GpuReq::*Member>
Result<void> read_text(KeyValue part, GpuReq& req) {
  if (part.value.empty()) return bad(part.key, part.value, "a value");
  req.*Member = part.value;
  return {};
}

Result<void> read_mem(KeyValue part, GpuReq& req) {
  auto size = parse_bytes(part.value, Bytes{1 << 20});
  if (!size) return bad(part.key, part.value, "a size such as 8G");
  req.mem = *size;
  return {};
}

struct Keyword {
  std::string_view name;
  Result<void> (*read)(KeyValue, GpuReq&);
};

constexpr std::array<Keyword, 15> kKeywords = {{
    {"num", read_num},
    {"mode", read_mode},
    {"mps", read_mps},
    {"j_exclusive", read_flag<&GpuReq::j_exclusive>},
    {"aff", read_flag<&GpuReq::aff>},
    {"block", read_flag<&GpuReq::block>},
    {"gpack", read_flag<&GpuReq::gpack>},
    {"glink", read_flag<&GpuReq::glink>},
    {"gvendor", read_vendor},
    {"gmodel", read_text<&GpuReq::model>},
    {"gmem", read_mem},
    {"gtile", read_tile},
    {"mig", read_mig},
    {"nvlink", read_flag<&GpuReq::glink>},
    {"see", read_see},
}};

Result<void> read_part(std::string_view text, GpuReq& req) {
  auto equals = text.find('=');
  auto key = text.substr(0, equals);
  auto value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  for (const auto& keyword : kKeywords)
    if (keyword.name == key) return keyword.read({key, value}, req);
  return fail(Code::BadArgument, "GPU requirement: unknown keyword \"" + excerpt(key) +
                                     "\": Bad resource requirement syntax");
}

}  // namespace

Result<GpuReq> parse_gpu(std::string_view text) {
  GpuReq req;
  if (text == "-" || text.empty()) {
    req.milli_num = 1000;
    return req;
  }
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(':', at), text.size());
    WM_TRY(read_part(text.substr(at, end - at), req));
    at = end + 1;
  }
  return req;
}

GpuReq merge(const GpuReq& base, const GpuReq& over) {
  GpuReq merged = over;
  if (!over.milli_num) {
    merged.milli_num = base.milli_num;
    merged.per = base.per;
  }
  if (!over.mode) merged.mode = base.mode;
  if (!over.mps) merged.mps = base.mps;
  if (!over.j_exclusive) merged.j_exclusive = base.j_exclusive;
  if (!over.aff) merged.aff = base.aff;
  if (!over.block) merged.block = base.block;
  if (!over.gpack) merged.gpack = base.gpack;
  if (!over.glink) merged.glink = base.glink;
  if (!over.see_all) merged.see_all = base.see_all;
  if (over.vendor.empty()) merged.vendor = base.vendor;
  if (over.model.empty()) merged.model = base.model;
  if (over.mem == Bytes{}) merged.mem = base.mem;
  if (over.tile.empty()) merged.tile = base.tile;
  if (over.mig.empty()) merged.mig = base.mig;
  return merged;
}

}  // namespace wm::expr
