// bresume: lets held jobs be scheduled again; see common/hold.
#include "commands/common/hold.h"

int main(int argc, char** argv) { return wm::cmd::hold_main(false, argc, argv); }
