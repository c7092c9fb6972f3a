// Role: how a C++ type lies in the bytes. A shape is an object that writes and reads values of one
// type behind a `void*`; a struct's shape walks a table of rows when it runs. So the code of both
// directions is compiled once, not once for each struct: as templates it was a tenth of a build.
// Callers: archive.h, which finds the shape of each type and fills the tables.
//
// Invariants: no shape keeps state; depth of structs in structs <= 32.
// @source Protocol Buffers encoding: ZigZag; a list of numbers is packed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/codec/bytes.h"

namespace wm::codec {

/// Writes and reads values of one type. `value` points at one, of exactly that type.
/// @thread any   @cost O(bytes)
class Shape {
 public:
  /// Appends the value under `tag`; a zero or an empty value only if `always`.
  virtual void write(std::string& out, int tag, const void* value, bool always) const = 0;
  /// Stores what a field of the bytes says. False: its bytes are not of this shape.
  virtual bool read(const Field& field, void* value, int depth) const = 0;
  /// Whether the value is a number other than zero or a text that is not empty.
  virtual bool is_set(const void*) const { return false; }
};

/// A number, an enumeration, an id or a time: little-endian in memory, `width` bytes.
class NumberShape final : public Shape {
 public:
  enum class Kind : std::uint8_t { Bool, Unsigned, Signed, Double };

  constexpr NumberShape(Kind kind, std::size_t width) : kind_(kind), width_(width) {}
  void write(std::string& out, int tag, const void* value, bool always) const override;
  bool read(const Field& field, void* value, int depth) const override;
  bool is_set(const void* value) const override { return bits(value) != 0; }

  /// The number as it stands in a varint, or a double's eight bytes.
  std::uint64_t bits(const void* value) const;
  /// The value that these bits stand for.
  void set_bits(std::uint64_t bits, void* value) const;

 private:
  Kind kind_;
  std::size_t width_;
};

/// A std::string.
class TextShape final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool always) const override;
  bool read(const Field& field, void* value, int depth) const override;
  bool is_set(const void* value) const override;
};
inline constexpr TextShape kText;

/// What holds fields of its own: a struct, or a variant.
class MessageShape : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool always) const override;
  bool read(const Field& field, void* value, int depth) const override;

  /// The fields alone, without a key.
  virtual void write_fields(std::string& out, const void* value) const = 0;
  /// @errors false: damaged, or nested too deep
  bool read_fields(std::string_view bytes, void* value, int depth) const;

 private:
  virtual bool read_all(Cursor in, void* value, int depth) const = 0;
};

/// One field of a struct.
struct Row {
  int tag = 0;
  std::size_t offset = 0;  // in the struct
  const Shape* shape = nullptr;
  bool always = false;  // its default is not zero: its zero must be written
  // Not 0: what differs from the value encoded in the text at `base` goes under `less`, all of it
  // under `tag` where that text holds no such value.
  int less = 0;
  std::size_t base = 0;
};

/// The fields of a struct, in the order in which they are written.
struct Table {
  std::vector<Row> rows;
  /// Called once a value is read, for what older writers said in another field; may be null.
  void (*complete)(void* value) = nullptr;
  /// Shapes that stand for one row alone.
  std::vector<std::shared_ptr<const Shape>> own;
};

/// Fills a table from a value with its defaults: a row's offset is where its field lies in it.
/// @thread one
class TableMaker {
 public:
  TableMaker(Table& table, const void* value);
  /// A row for the field that lies there.
  void add(int tag, const void* field, const Shape& shape);
  /// The last row goes under `less` where it can be said by what differs from that field.
  void differs_from(const std::string& base, int less);
  /// A shape of one row alone lives as long as the table.
  const Shape& keep(std::shared_ptr<const Shape> shape);

 private:
  std::size_t offset(const void* field) const;

  Table& table_;
  std::uintptr_t start_;
};

/// A struct. Unknown tags are skipped; an absent field keeps its default.
class StructShape final : public MessageShape {
 public:
  explicit constexpr StructShape(const Table& (*table)()) : table_(table) {}
  void write_fields(std::string& out, const void* value) const override;

 private:
  bool read_all(Cursor in, void* value, int depth) const override;

  const Table& (*table_)();  // made at first use
};

/// A variant: alternative i travels under tag i + 1, always present.
class OneOfShape : public MessageShape {
 public:
  explicit constexpr OneOfShape(std::span<const MessageShape* const> alternatives)
      : alternatives_(alternatives) {}
  void write_fields(std::string& out, const void* value) const override;

 private:
  bool read_all(Cursor in, void* value, int depth) const override;
  virtual std::size_t index(const void* value) const = 0;
  virtual const void* held(const void* value) const = 0;
  virtual void* emplace(void* value, std::size_t index) const = 0;

  std::span<const MessageShape* const> alternatives_;
};

/// An enumeration that travels as its word, always present.
class WordShape : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool always) const override;
  bool read(const Field& field, void* value, int depth) const override;

 private:
  virtual std::string word(const void* value) const = 0;
  virtual bool set_word(std::string_view word, void* value) const = 0;
};

}  // namespace wm::codec
