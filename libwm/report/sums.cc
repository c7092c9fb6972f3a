#include "libwm/report/sums.h"

namespace wm::report {

std::string_view use_name(Use use) {
  constexpr std::array<std::string_view, kUses> kNames = {
      "held", "leaving", "suspended", "parked", "unknown", "stuck",
      "down", "drained", "aside",     "idle",   "over"};
  return kNames[static_cast<std::size_t>(use)];
}

Amounts& Amounts::operator+=(const Amounts& more) {
  slot_ms += more.slot_ms;
  cpu_mms += more.cpu_mms;
  gpu_mms += more.gpu_mms;
  gpueq_mms += more.gpueq_mms;
  mem_mib_s += more.mem_mib_s;
  return *this;
}

ByUse& ByUse::operator+=(const ByUse& more) {
  for (std::size_t i = 0; i < kUses; ++i) of[i] += more.of[i];
  return *this;
}

Amounts ByUse::allocated() const {
  Amounts sum;
  for (std::size_t i = 0; i < kAllocatedUses; ++i) sum += of[i];
  return sum;
}

Amounts ByUse::capacity() const {
  Amounts sum = allocated();
  for (auto use : {Use::Down, Use::Drained, Use::Aside, Use::Idle}) sum += (*this)[use];
  const Amounts& over = (*this)[Use::Over];
  sum.slot_ms -= over.slot_ms;
  sum.cpu_mms -= over.cpu_mms;
  sum.gpu_mms -= over.gpu_mms;
  sum.gpueq_mms -= over.gpueq_mms;
  return sum;
}

}  // namespace wm::report
