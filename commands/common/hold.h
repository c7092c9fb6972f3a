// Role: bstop and bresume are one command in two directions: pending jobs are held, held
// jobs are released. Each has its own main and calls this.
#pragma once

namespace wm::cmd {

/// The whole of bstop (`hold`) or bresume. @thread main, once
int hold_main(bool hold, int argc, char** argv);

}  // namespace wm::cmd
