#include "libwm/view/topology.h"

#include <map>

#include "libwm/view/format.h"

namespace wm::view {

std::string topology_text(const HostView& view) {
  if (view.cpus.empty()) return "AFFINITY: Disabled\n";
  std::map<std::uint32_t, std::map<std::uint32_t, std::map<std::uint32_t, std::string>>> nodes;
  for (const Cpu& cpu : view.cpus) {
    auto& core = nodes[cpu.numa][cpu.socket][cpu.core];
    core += (core.empty() ? "" : " ") + std::to_string(cpu.number);
  }
  std::string text = "AFFINITY: Enabled\nHost[" + format_bytes(view.host.capacity.mem) + "] " +
                     printable(view.host.name) + "\n";
  for (const auto& [node, sockets] : nodes) {
    text += "    NUMA[" + std::to_string(node) + "]\n";
    for (const auto& [socket, cores] : sockets) {
      text += "        Socket" + std::to_string(socket) + "\n";
      for (const auto& [core, cpus] : cores)
        text += "            core" + std::to_string(core) + "(" + cpus + ")\n";
    }
  }
  return text;
}

}  // namespace wm::view
