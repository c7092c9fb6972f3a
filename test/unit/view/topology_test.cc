#include "libwm/view/topology.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

TEST(topology_text, is_a_tree_of_nodes_sockets_and_cores) {
  HostView view;
  view.host.name = "n1";
  view.host.capacity.mem = Bytes{std::int64_t{16} << 30};
  EXPECT_EQ(topology_text(view), "AFFINITY: Disabled\n");
  view.cpus = {{0, 0, 0, 0}, {4, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 1, 1}};
  EXPECT_EQ(topology_text(view),
            "AFFINITY: Enabled\n"
            "Host[16G] n1\n"
            "    NUMA[0]\n"
            "        Socket0\n"
            "            core0(0 4)\n"
            "            core1(1)\n"
            "    NUMA[1]\n"
            "        Socket1\n"
            "            core2(2)\n");
}

}  // namespace
}  // namespace wm::view
