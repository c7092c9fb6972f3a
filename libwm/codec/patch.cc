#include "libwm/codec/patch.h"

#include <map>

#include "libwm/codec/bytes.h"

namespace wm::codec {
namespace {

constexpr int kLacks = 1, kHas = 2;

/// The bytes of each tag, keys included; of a list all elements one after the other.
using Fields = std::map<std::uint64_t, std::string>;

std::optional<Fields> fields_of(std::string_view bytes) {
  Fields fields;
  Cursor in(bytes);
  while (!in.at_end()) {
    auto from = in.rest();
    Field field;
    if (!in.field(field)) return std::nullopt;
    fields[field.tag].append(from.substr(0, from.size() - in.rest().size()));
  }
  return fields;
}

std::string joined(const Fields& fields) {
  std::string bytes;
  for (const auto& [tag, text] : fields) bytes += text;
  return bytes;
}

bool erase_all(Fields& fields, std::string_view tags) {
  Cursor in(tags);
  while (!in.at_end()) {
    std::uint64_t tag = 0;
    if (!in.varint(tag)) return false;
    fields.erase(tag);
  }
  return true;
}

}  // namespace

std::optional<std::string> difference(std::string_view from, std::string_view to) {
  auto before = fields_of(from), after = fields_of(to);
  if (!before || !after) return std::nullopt;
  std::string lacks;
  for (const auto& [tag, text] : *before)
    if (!after->contains(tag)) write_varint(lacks, tag);
  std::erase_if(*after, [&](const auto& field) {
    auto same = before->find(field.first);
    return same != before->end() && same->second == field.second;
  });
  std::string out;
  if (!lacks.empty()) write_bytes(out, kLacks, lacks);
  if (auto has = joined(*after); !has.empty()) write_bytes(out, kHas, has);
  return out;
}

std::optional<std::string> patched(std::string_view from, std::string_view difference) {
  auto result = fields_of(from);
  if (!result) return std::nullopt;
  Cursor in(difference);
  while (!in.at_end()) {
    Field field;
    if (!in.field(field) || field.kind != kDelimited) return std::nullopt;
    if (field.tag == kLacks && !erase_all(*result, field.text)) return std::nullopt;
    if (field.tag != kHas) continue;
    auto has = fields_of(field.text);
    if (!has) return std::nullopt;
    for (auto& [tag, text] : *has) (*result)[tag] = std::move(text);
  }
  return joined(*result);
}

}  // namespace wm::codec
