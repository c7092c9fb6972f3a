#include "daemons/wuserd/files/body.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace wm::user {

Result<Fd> nameless_file(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  auto path = folder + "/.wm-part-XXXXXX";  // where the file system knows none such
  fd.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd) return system_error(folder);
  ::unlink(path.c_str());
  return fd;
}

Result<Body> Body::take(http::Exchange& exchange, std::size_t most, const std::string& folder) {
  Body body;
  std::string block(64 << 10, '\0');
  for (std::size_t size = 0;;) {
    WM_TRY(auto n, exchange.read(block.data(), block.size()));
    if (n == 0) break;
    size += n;
    if (size > most)
      return fail(Code::Limit, "the body is longer than " + std::to_string(most) + " bytes");
    body.text_.append(block, 0, n);
    if (!body.file_ && size <= kInMemory) continue;
    if (!body.file_) {
      WM_TRY(body.file_, nameless_file(folder));
    }
    WM_TRY(write_all(body.file_.get(), body.text_, folder));
    body.text_.clear();
  }
  return body;
}

std::string Body::path() const {
  return file_ ? "/proc/self/fd/" + std::to_string(file_.get()) : std::string();
}

}  // namespace wm::user
