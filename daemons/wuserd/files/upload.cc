#include "daemons/wuserd/files/upload.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "daemons/wuserd/files/unpack.h"
#include "libwm/rest/multipart.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestField = 1 << 20;
constexpr std::size_t kMostParts = 64;

// A client's name for a file: its last part, if that can be a name.
std::string plain_name(const std::string& name) {
  auto last = name.substr(name.find_last_of("/\\") + 1);
  bool fine = !last.empty() && last != "." && last != ".." && last.size() < 200 &&
              last.find('\0') == last.npos;
  return fine ? last : "file";
}

/// Takes parts to disk.
class Receiver {
 public:
  Receiver(http::Exchange& exchange, std::string folder)
      : exchange_(exchange), folder_(std::move(folder)) {}

  rest::PartTaker taker() {
    return {[this](const rest::Part& part) { return begin(part); },
            [this](std::string_view bytes) { return take(bytes); }, [this] { return end(); }};
  }
  Upload upload;

 private:
  Result<void> begin(const rest::Part& part) {
    if (++parts_ > kMostParts) return fail(Code::Limit, "more than 64 parts");
    part_ = part;
    field_.clear();
    // Some clients send `data` as a file: it is read as the field that it is.
    is_file_ = !part.filename.empty() && part.name != "data";
    if (!is_file_) return {};
    auto path = folder_ + "/" + std::to_string(parts_);
    upload.files.push_back({path, plain_name(part.filename)});
    file_.open(path, std::ios::binary | std::ios::trunc);
    return file_ ? Result<void>() : Result<void>(not_written());
  }
  Result<void> take(std::string_view bytes) {
    if (is_file_) {
      file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      return file_ ? Result<void>() : Result<void>(not_written());
    }
    WM_TRY(exchange_.reserve(bytes.size()));
    field_ += bytes;
    if (field_.size() > kLongestField) return fail(Code::Limit, part_.name + ": more than 1 MiB");
    return {};
  }
  Result<void> end() {
    if (!is_file_) {
      upload.fields[part_.name] = field_;
      return {};
    }
    file_.close();
    if (file_.fail()) return not_written();
    return {};
  }
  Error not_written() const {
    return fail(Code::System, "the upload cannot be written: " + std::string(std::strerror(errno)));
  }

  http::Exchange& exchange_;
  std::string folder_, field_;
  rest::Part part_;
  std::ofstream file_;
  std::size_t parts_ = 0;
  bool is_file_ = false;
};

std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    entries.push_back(at->path());
  return entries;
}

}  // namespace

Result<Upload> receive(http::Exchange& exchange, const std::string& folder) {
  auto type = exchange.head().field("content-type");
  if (!type.starts_with("multipart/")) return Upload{};
  WM_TRY(auto boundary, rest::boundary_of(type));
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  Receiver receiver(exchange, folder);
  rest::Multipart parser(boundary, receiver.taker());
  std::string block(256 << 10, '\0');
  for (;;) {
    WM_TRY(auto n, exchange.read(block.data(), block.size()));
    if (n == 0) break;
    WM_TRY(parser.feed(std::string_view(block.data(), n)));
  }
  WM_TRY(parser.finish());
  return std::move(receiver.upload);
}

Result<void> lay_out(const Upload& upload, const std::string& code_dir, std::string_view whole,
                     const rest::ArchiveLimits& limits) {
  std::error_code ec;
  fs::create_directories(code_dir, ec);
  if (ec) return fail(Code::System, code_dir + ": " + ec.message());
  for (const auto& file : upload.files) {
    bool as_it_is = !whole.empty() && file.name == whole;
    auto unpacked =
        as_it_is ? Result<void>(fail(Code::NotFound, "")) : unpack(file.path, code_dir, limits);
    if (unpacked) continue;
    if (unpacked.error().code != Code::NotFound) return unpacked;
    fs::rename(file.path, code_dir + "/" + file.name, ec);
    if (ec) return fail(Code::System, code_dir + "/" + file.name + ": " + ec.message());
  }
  return {};
}

Result<std::string> find_code(const std::string& code_dir, const std::string& model_dir,
                              const std::string& main) {
  std::vector<std::string> candidates;
  auto entries = entries_of(code_dir);
  if (!model_dir.empty()) candidates.push_back(code_dir + "/" + model_dir);
  if (entries.size() == 1) candidates.push_back(entries[0].string());
  candidates.push_back(code_dir);
  std::error_code ec;
  for (const auto& folder : candidates) {
    if (!fs::is_directory(folder, ec)) continue;
    if (main.empty() || fs::is_regular_file(folder + "/" + main, ec)) return folder;
  }
  return fail(Code::BadArgument, "--model-main " + main + ": not among the files that came");
}

}  // namespace wm::user
