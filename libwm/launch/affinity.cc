#include "libwm/launch/affinity.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace wm::launch {
namespace {

using Unit = Affinity::Unit;
using Memory = Affinity::Memory;

std::optional<Unit> unit_named(std::string_view word) {
  if (word == "thread") return Unit::Thread;
  if (word == "core") return Unit::Core;
  if (word == "numa") return Unit::Numa;
  if (word == "socket") return Unit::Socket;
  return std::nullopt;
}

std::uint32_t unit_of(const Cpu& cpu, Unit unit) {
  switch (unit) {
    case Unit::Thread: return cpu.number;
    case Unit::Core: return cpu.core;
    case Unit::Numa: return cpu.numa;
    case Unit::Socket: return cpu.socket;
  }
  return cpu.number;
}

Error wrong(std::string_view section, const std::string& why) {
  return fail(Code::BadArgument, "affinity[" + std::string(section) + "]: " + why);
}

/// "core(2,same=numa)": the unit and its number; what follows the number changes nothing here.
Result<void> read_unit(std::string_view section, std::string_view text, Affinity& asked) {
  auto open = text.find('(');
  auto unit = unit_named(text.substr(0, open));
  if (!unit) return wrong(section, "core, thread, numa or socket is wanted");
  asked.unit = *unit;
  asked.bind = *unit;
  if (open == text.npos) return {};
  auto number = text.substr(open + 1);
  auto [end, ec] = std::from_chars(number.data(), number.data() + number.size(), asked.count);
  if (ec != std::errc() || asked.count == 0) return wrong(section, "a number of units is wanted");
  return {};
}

Result<void> read_word(std::string_view section, std::string_view word, Affinity& asked) {
  auto equals = word.find('=');
  auto key = word.substr(0, equals);
  auto value = equals == word.npos ? std::string_view() : word.substr(equals + 1);
  if (key == "cpubind") {
    auto unit = unit_named(value);
    if (!unit) return wrong(section, "cpubind= core, thread, numa or socket is wanted");
    asked.bind = *unit;
  } else if (key == "distribute") {
    asked.balance = value == "balance";
  } else if (key == "membind") {
    if (value != word_of(Memory::LocalOnly) && value != word_of(Memory::LocalPrefer))
      return wrong(section, "membind= localonly or localprefer is wanted");
    asked.memory = value == word_of(Memory::LocalOnly) ? Memory::LocalOnly : Memory::LocalPrefer;
  }
  return {};  // same, exclusive: nothing that the choice of CPUs depends on
}

/// The CPUs of a machine by units, in its order, with those that are free.
struct Free {
  std::vector<const Cpu*> cpus;  // of one unit
  std::uint32_t numa = 0;
};

std::vector<Free> free_units(const CpuMap& map, Unit unit, const std::set<std::uint32_t>& taken) {
  std::vector<std::pair<std::uint32_t, Free>> units;
  std::set<std::uint32_t> used;
  for (const auto& cpu : map) {
    auto number = unit_of(cpu, unit);
    if (taken.contains(cpu.number)) used.insert(number);
    auto at = std::find_if(units.begin(), units.end(), [&](auto& u) { return u.first == number; });
    if (at == units.end()) at = units.insert(units.end(), {number, {{}, cpu.numa}});
    at->second.cpus.push_back(&cpu);
  }
  std::vector<Free> found;
  for (auto& [number, entry] : units)
    if (!used.contains(number)) found.push_back(std::move(entry));
  return found;
}

/// Units for one task: near its GPUs, else from the node that has most free (balance) or least
/// that still suffices (pack); a node that does not suffice is filled up before the next.
std::vector<Free> choose(std::vector<Free> units, const Affinity& asked, const BindWish& wish) {
  if (units.size() < asked.count) return {};
  std::map<std::uint32_t, std::uint32_t> room;
  for (const auto& unit : units) ++room[unit.numa];
  auto rank = [&](const Free& unit) {
    bool far = wish.numa && unit.numa != *wish.numa;
    auto here = room[unit.numa];
    bool short_of = here < asked.count;
    bool wants_most = asked.balance || short_of;
    return std::make_tuple(far, short_of, wants_most ? ~here : here, unit.numa);
  };
  std::stable_sort(units.begin(), units.end(),
                   [&](const Free& a, const Free& b) { return rank(a) < rank(b); });
  units.resize(asked.count);
  return units;
}

}  // namespace

Result<std::optional<Affinity>> affinity_of(std::string_view resreq) {
  constexpr std::string_view kSection = "affinity[";
  auto at = resreq.find(kSection);
  auto end = at == resreq.npos ? resreq.npos : resreq.find(']', at);
  if (end == resreq.npos) return std::optional<Affinity>();
  auto section = resreq.substr(at + kSection.size(), end - at - kSection.size());
  Affinity asked;
  bool first = true;
  for (std::size_t from = 0; from <= section.size(); first = false) {
    auto next = std::min(section.find(':', from), section.size());
    auto word = section.substr(from, next - from);
    WM_TRY(first ? read_unit(section, word, asked) : read_word(section, word, asked));
    from = next + 1;
  }
  return std::optional(asked);
}

std::vector<Binding> plan_bindings(const CpuMap& map, const Affinity& asked,
                                   std::set<std::uint32_t> taken,
                                   const std::vector<BindWish>& wishes) {
  std::vector<Binding> bindings;
  for (const auto& wish : wishes) {
    Binding binding{wish.task, {}, {}};
    std::set<std::uint32_t> touched;
    for (const auto& unit : choose(free_units(map, asked.unit, taken), asked, wish))
      for (const auto* cpu : unit.cpus) {
        binding.units.push_back(cpu->number);
        taken.insert(cpu->number);
        touched.insert(unit_of(*cpu, asked.bind));
      }
    for (const auto& cpu : map)
      if (touched.contains(unit_of(cpu, asked.bind))) binding.cpus.push_back(cpu.number);
    std::sort(binding.units.begin(), binding.units.end());
    std::sort(binding.cpus.begin(), binding.cpus.end());
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

std::vector<std::uint32_t> nodes_of(const CpuMap& map, const std::vector<std::uint32_t>& cpus) {
  std::set<std::uint32_t> nodes;
  for (const auto& cpu : map)
    if (std::find(cpus.begin(), cpus.end(), cpu.number) != cpus.end()) nodes.insert(cpu.numa);
  return {nodes.begin(), nodes.end()};
}

std::string_view word_of(Affinity::Memory memory) {
  switch (memory) {
    case Memory::Any: break;
    case Memory::LocalOnly: return "localonly";
    case Memory::LocalPrefer: return "localprefer";
  }
  return "";
}

std::string cpu_list(const std::vector<std::uint32_t>& cpus) {
  std::string text;
  for (auto cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

}  // namespace wm::launch
