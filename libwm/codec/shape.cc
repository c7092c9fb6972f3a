#include "libwm/codec/shape.h"

#include <bit>
#include <cstring>
#include <optional>

#include "libwm/codec/codec.h"
#include "libwm/codec/patch.h"

namespace wm::codec {
namespace {

constexpr int kMaxDepth = 32;
static_assert(std::endian::native == std::endian::little);

std::uint64_t zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
std::uint64_t from_zigzag(std::uint64_t bits) { return (bits >> 1) ^ (~(bits & 1) + 1); }

template <class To>
const To* at(const void* value, std::size_t offset) {
  return reinterpret_cast<const To*>(static_cast<const char*>(value) + offset);
}
void* at(void* value, std::size_t offset) { return static_cast<char*>(value) + offset; }

/// The row of a tag. Writers follow the table's order, so the next row is tried first.
const Row* row_of(const std::vector<Row>& rows, int tag, std::size_t& next) {
  for (std::size_t tried = 0; tried < rows.size(); ++tried, ++next) {
    if (next >= rows.size()) next = 0;
    const Row& row = rows[next];
    if (row.tag == tag || (row.less != 0 && row.less == tag)) return &row;
  }
  return nullptr;
}

void write_beside(std::string& out, const Row& row, const void* value) {
  std::string text;
  static_cast<const MessageShape*>(row.shape)->write_fields(text, at<char>(value, row.offset));
  const auto& base = *at<std::string>(value, row.base);
  auto differs = base.empty() ? std::nullopt : difference(base, text);
  if (differs) write_bytes(out, row.less, *differs);
  else if (!text.empty()) write_bytes(out, row.tag, text);
}

bool read_less(const Field& field, const Row& row, void* value, int depth) {
  if (field.kind != kDelimited) return false;
  auto text = patched(*at<std::string>(value, row.base), field.text);
  return text && static_cast<const MessageShape*>(row.shape)
                     ->read_fields(*text, at(value, row.offset), depth + 1);
}

bool read_row(const Field& field, const Row& row, void* value, int depth) {
  if (static_cast<int>(field.tag) != row.tag) return read_less(field, row, value, depth);
  return row.shape->read(field, at(value, row.offset), depth);
}

}  // namespace

std::uint64_t NumberShape::bits(const void* value) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, width_);
  if (kind_ != Kind::Signed) return bits;
  auto unused = 64 - 8 * width_;
  return zigzag(static_cast<std::int64_t>(bits << unused) >> unused);
}

void NumberShape::set_bits(std::uint64_t bits, void* value) const {
  if (kind_ == Kind::Signed) bits = from_zigzag(bits);
  if (kind_ == Kind::Bool) bits = bits != 0;
  std::memcpy(value, &bits, width_);
}

void NumberShape::write(std::string& out, int tag, const void* value, bool always) const {
  auto number = bits(value);
  if (number == 0 && !always) return;
  write_key(out, tag, kind_ == Kind::Double ? kFixed64 : kVarint);
  if (kind_ == Kind::Double) out.append(reinterpret_cast<const char*>(&number), sizeof number);
  else write_varint(out, number);
}

bool NumberShape::read(const Field& field, void* value, int) const {
  if (field.kind == kDelimited) return false;
  set_bits(field.bits, value);
  return true;
}

bool TextShape::is_set(const void* value) const { return !at<std::string>(value, 0)->empty(); }

void TextShape::write(std::string& out, int tag, const void* value, bool always) const {
  if (always || is_set(value)) write_bytes(out, tag, *at<std::string>(value, 0));
}

bool TextShape::read(const Field& field, void* value, int) const {
  if (field.kind != kDelimited) return false;
  static_cast<std::string*>(value)->assign(field.text);
  return true;
}

// Written in place: its length, known afterwards, goes before it.
void MessageShape::write(std::string& out, int tag, const void* value, bool always) const {
  auto start = out.size();
  write_fields(out, value);
  if (out.size() == start && !always) return;
  std::string head;
  write_key(head, tag, kDelimited);
  write_varint(head, out.size() - start);
  out.insert(start, head);
}

bool MessageShape::read(const Field& field, void* value, int depth) const {
  return field.kind == kDelimited && read_fields(field.text, value, depth + 1);
}

bool MessageShape::read_fields(std::string_view bytes, void* value, int depth) const {
  return depth <= kMaxDepth && read_all(Cursor(bytes), value, depth);
}

void StructShape::write_fields(std::string& out, const void* value) const {
  for (const Row& row : table_().rows) {
    if (row.less != 0) write_beside(out, row, value);
    else row.shape->write(out, row.tag, at<char>(value, row.offset), row.always);
  }
}

bool StructShape::read_all(Cursor in, void* value, int depth) const {
  const Table& table = table_();
  std::size_t next = 0;
  while (!in.at_end()) {
    Field field;
    if (!in.field(field)) return false;
    const Row* row = row_of(table.rows, static_cast<int>(field.tag), next);
    if (row && !read_row(field, *row, value, depth)) return false;
  }
  if (table.complete) table.complete(value);
  return true;
}

void OneOfShape::write_fields(std::string& out, const void* value) const {
  auto i = index(value);
  alternatives_[i]->write(out, static_cast<int>(i) + 1, held(value), true);
}

bool OneOfShape::read_all(Cursor in, void* value, int depth) const {
  while (!in.at_end()) {
    Field field;
    if (!in.field(field)) return false;
    if (field.tag > alternatives_.size()) continue;
    auto i = static_cast<std::size_t>(field.tag) - 1;
    if (!alternatives_[i]->read(field, emplace(value, i), depth)) return false;
  }
  return true;
}

void WordShape::write(std::string& out, int tag, const void* value, bool) const {
  write_bytes(out, tag, word(value));
}

bool WordShape::read(const Field& field, void* value, int) const {
  return field.kind == kDelimited && set_word(field.text, value);
}

std::string encode_message(const Message& message, const void* value) {
  std::string bytes;
  message.shape.write_fields(bytes, value);
  return bytes;
}

Result<void> decode_message(const Message& message, std::string_view bytes, void* value) {
  if (message.shape.read_fields(bytes, value, 0)) return {};
  return fail(Code::Damaged, std::string("damaged message: ") + message.name);
}

TableMaker::TableMaker(Table& table, const void* value)
    : table_(table), start_(reinterpret_cast<std::uintptr_t>(value)) {}

void TableMaker::add(int tag, const void* field, const Shape& shape) {
  table_.rows.push_back(
      {.tag = tag, .offset = offset(field), .shape = &shape, .always = shape.is_set(field)});
}

void TableMaker::differs_from(const std::string& base, int less) {
  table_.rows.back().less = less;
  table_.rows.back().base = offset(&base);
}

const Shape& TableMaker::keep(std::shared_ptr<const Shape> shape) {
  return *table_.own.emplace_back(std::move(shape));
}

std::size_t TableMaker::offset(const void* field) const {
  return reinterpret_cast<std::uintptr_t>(field) - start_;
}

}  // namespace wm::codec
