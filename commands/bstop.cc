// bstop: holds pending jobs until bresume; see common/hold.
#include "commands/common/hold.h"

int main(int argc, char** argv) { return wm::cmd::hold_main(true, argc, argv); }
