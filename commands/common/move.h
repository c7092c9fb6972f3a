// Role: btop and bbot are one command in two directions: pending jobs go before or behind all
// others of their queue. Each has its own main and calls this.
#pragma once

namespace wm::cmd {

/// The whole of btop (`top`) or bbot. @thread main, once
int move_main(bool top, int argc, char** argv);

}  // namespace wm::cmd
