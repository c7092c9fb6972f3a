#include "daemons/wnoded/rim/kept_text.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "libwm/base/log.h"
#include "libwm/files/whole_file.h"

namespace wm::node {

void KeptText::keep(std::string text) {
  waits_ = std::move(text);
  if (!writing_) write();
}

void KeptText::write() {
  writing_ = waits_.has_value();
  if (!writing_) return;
  boost::asio::post(workers_, [this, text = *std::exchange(waits_, std::nullopt)] {
    auto done = replace_file(path_, text, 0600);
    boost::asio::post(loop_, [this, done] {
      if (!done) log::warn("not_kept", {{"why", done.error().text}});
      write();
    });
  });
}

std::string KeptText::read() const {
  auto text = read_file(path_);
  return text ? *std::move(text) : "";
}

}  // namespace wm::node
