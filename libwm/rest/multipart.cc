#include "libwm/rest/multipart.h"

#include <algorithm>

#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestFields = 16 << 10;

// `name=value` or `name="value"` among parameters that ';' separates.
std::string parameter(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(';'); at != text.npos; at = text.find(';', at + 1)) {
    auto rest = text.substr(at + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (lowered(rest.substr(0, name.size())) != name || rest.size() <= name.size() ||
        rest[name.size()] != '=')
      continue;
    rest.remove_prefix(name.size() + 1);
    if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of("; \t")));
    std::string value;
    for (std::size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      value += rest[i];
    }
    return value;
  }
  return "";
}

Result<Part> part_of(std::string_view fields) {
  while (!fields.empty()) {
    auto end = std::min(fields.find("\r\n"), fields.size());
    auto line = fields.substr(0, end);
    if (lowered(line.substr(0, 20)) == "content-disposition:")
      return Part{parameter(line, "name"), parameter(line, "filename")};
    fields.remove_prefix(std::min(end + 2, fields.size()));
  }
  return fail(Code::BadArgument, "multipart: a part without a name");
}

}  // namespace

Result<std::string> boundary_of(std::string_view content_type) {
  auto boundary = parameter(content_type, "boundary");
  bool fine = lowered(content_type.substr(0, 19)) == "multipart/form-data" && !boundary.empty() &&
              boundary.size() <= 70;
  if (!fine) return fail(Code::BadArgument, "Content-Type: multipart/form-data is wanted");
  return boundary;
}

Multipart::Multipart(const std::string& boundary, PartTaker taker)
    : delimiter_("\r\n--" + boundary), taker_(std::move(taker)), held_("\r\n") {}

Result<void> Multipart::feed(std::string_view bytes) {
  if (state_ == State::Epilogue) return {};
  held_ += bytes;
  for (bool more = true; more;) {
    WM_TRY(more, step());
  }
  return {};
}

Result<void> Multipart::finish() const {
  if (state_ == State::Epilogue) return {};
  return fail(Code::BadArgument, "multipart: the body broke off");
}

// True: there may be more to do with what is held.
Result<bool> Multipart::step() {
  switch (state_) {
    case State::Preamble: return skip_preamble();
    case State::AfterBoundary: return after_boundary();
    case State::Fields: return read_fields();
    case State::Data: return pass_data();
    case State::Epilogue: held_.clear(); return false;
  }
  return false;
}

Result<bool> Multipart::skip_preamble() {
  auto at = held_.find(delimiter_);
  if (at == held_.npos) {
    if (held_.size() > kLongestFields) return fail(Code::BadArgument, "multipart: no boundary");
    return false;
  }
  held_.erase(0, at + delimiter_.size());
  state_ = State::AfterBoundary;
  return true;
}

Result<bool> Multipart::after_boundary() {
  if (held_.size() < 2) return false;
  if (held_.starts_with("--")) {
    state_ = State::Epilogue;
    return true;
  }
  auto line = held_.find("\r\n");
  if (line == held_.npos) {
    if (held_.size() > kLongestFields) return fail(Code::BadArgument, "multipart: no boundary");
    return false;
  }
  if (held_.find_first_not_of(" \t") != line)
    return fail(Code::BadArgument, "multipart: text after a boundary");
  held_.erase(0, line);  // the line's end begins the fields: a part may have none
  state_ = State::Fields;
  return true;
}

Result<bool> Multipart::read_fields() {
  auto end = held_.find("\r\n\r\n");
  if (end == held_.npos) {
    if (held_.size() > kLongestFields) return fail(Code::Limit, "multipart: fields of a part");
    return false;
  }
  WM_TRY(auto part, part_of(std::string_view(held_).substr(0, end)));
  held_.erase(0, end + 4);
  state_ = State::Data;
  WM_TRY(taker_.begin(part));
  return true;
}

Result<bool> Multipart::pass_data() {
  auto at = held_.find(delimiter_);
  if (at != held_.npos) {
    if (at > 0) WM_TRY(taker_.data(std::string_view(held_).substr(0, at)));
    WM_TRY(taker_.end());
    held_.erase(0, at + delimiter_.size());
    state_ = State::AfterBoundary;
    return true;
  }
  // What may be the beginning of a delimiter waits for more.
  if (held_.size() < delimiter_.size()) return false;
  auto sure = held_.size() - (delimiter_.size() - 1);
  WM_TRY(taker_.data(std::string_view(held_).substr(0, sure)));
  held_.erase(0, sure);
  return false;
}

}  // namespace wm::rest
