// btop: puts pending jobs before all others of their queue; see common/move.
#include "commands/common/move.h"

int main(int argc, char** argv) { return wm::cmd::move_main(true, argc, argv); }
