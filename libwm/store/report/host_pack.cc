#include "libwm/store/report/host_pack.h"

namespace wm::store {
namespace {

// In the byte of a use, beside its number.
enum : std::uint8_t { kSame = 0x10, kGpus = 0x20, kParts = 0x40, kLast = 0x80 };

void put(std::string& to, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) to += static_cast<char>(n | 0x80);
  to += static_cast<char>(n);
}
// Negative ones are rare: what is over is never below 0.
void put(std::string& to, std::int64_t n) {
  put(to, static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63));
}

struct Reader {
  std::string_view rest;
  bool failed = false;

  std::uint8_t byte() {
    if (rest.empty()) return failed = true, std::uint8_t{0};
    auto b = static_cast<std::uint8_t>(rest.front());
    rest.remove_prefix(1);
    return b;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      auto b = byte();
      n |= std::uint64_t{b & 0x7fu} << shift;
      if (!(b & 0x80)) return n;
    }
    failed = true;
    return 0;
  }
  std::int64_t amount() {
    auto n = number();
    return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
  }
};

}  // namespace

std::string pack_hosts(const std::vector<HostUse>& rows) {
  std::string made;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [host, use, a] = rows[i];
    bool first = i == 0 || rows[i - 1].host != host;
    bool last = i + 1 == rows.size() || rows[i + 1].host != host;
    if (first) put(made, std::uint64_t{host - before});
    before = host;
    bool same = a.cpu_mms == a.slot_ms * 1000, gpus = a.gpu_mms != 0 || a.gpueq_mms != 0;
    bool parts = gpus && a.gpueq_mms != a.gpu_mms;
    made += static_cast<char>(static_cast<std::uint8_t>(use) | (same ? kSame : 0) |
                              (gpus ? kGpus : 0) | (parts ? kParts : 0) | (last ? kLast : 0));
    put(made, a.slot_ms);
    if (!same) put(made, a.cpu_mms);
    if (gpus) put(made, a.gpu_mms);
    if (parts) put(made, a.gpueq_mms);
  }
  return made;
}

Result<std::vector<HostUse>> unpack_hosts(std::string_view bytes) {
  std::vector<HostUse> rows;
  Reader in{bytes};
  std::uint32_t host = 0;
  for (bool first = true; !in.rest.empty();) {
    if (first) host += static_cast<std::uint32_t>(in.number());
    auto head = in.byte();
    HostUse row{host, static_cast<report::Use>(head & 0x0f), {}};
    auto& a = row.amounts;
    a.slot_ms = in.amount();
    a.cpu_mms = head & kSame ? a.slot_ms * 1000 : in.amount();
    if (head & kGpus) a.gpueq_mms = a.gpu_mms = in.amount();
    if (head & kParts) a.gpueq_mms = in.amount();
    first = head & kLast;
    if (in.failed || static_cast<std::size_t>(row.use) >= report::kUses)
      return fail(Code::Damaged,
                  "report.db: hours of hosts do not read; delete the file, and "
                  "wmreport roll makes it anew");
    rows.push_back(row);
  }
  return rows;
}

}  // namespace wm::store
