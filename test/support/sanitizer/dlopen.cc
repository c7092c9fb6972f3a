// Role: linked into programs that are built with sanitizers: the runtime ends a program in which
// anybody asks dlopen for RTLD_DEEPBIND, as the name service of systemd does when it is asked for a
// user that it does not have. Here the flag is left out; symbols are the process's own then.
#include <dlfcn.h>

extern "C" void* dlopen(const char* name, int flags) {
  using Open = void* (*)(const char*, int);
  static auto next = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"));
  return next(name, flags & ~RTLD_DEEPBIND);
}
