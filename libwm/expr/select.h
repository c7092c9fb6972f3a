// Role: the select[] expression: parsed once, evaluated per host.
//
//   or:  and { || and }      and: not { && not }     not: [!] comparison
//   comparison: sum [ == != < <= > >= sum ]
//   sum: product { + - product }      product: atom { * / atom }
//   atom: number | 'text' | name | defined(name) | ( or ) | - atom
//
// A name on the right of a comparison that no host value has is a text: `type==any`,
// `hname!=node1`. `any` equals every text. A name that the host does not have is false by
// itself, and every comparison with it is false.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/expr/value.h"

namespace wm::expr {

/// A parsed select expression; empty = every host. A value.
class Select {
 public:
  Select() = default;

  /// @errors BadArgument: "Error in select section near …", as clients know it
  /// @cost O(length); at most 200 levels deep
  static Result<Select> parse(std::string_view text);

  /// Does the host that `lookup` describes fit. @cost O(nodes) look-ups   @thread any
  bool matches(const Lookup& lookup) const;

  bool empty() const { return nodes_.empty(); }
  const std::string& text() const { return text_; }
  bool operator==(const Select&) const = default;

  /// What a node of the postfix program does.
  enum class Op {
    Number,
    Text,
    Name,
    Defined,
    Not,
    Minus,
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or
  };
  /// One step of the postfix program.
  struct Node {
    Op op = Op::Number;
    double number = 0;
    std::string text;
    bool operator==(const Node&) const = default;
  };

 private:
  std::string text_;
  std::vector<Node> nodes_;  // postfix
};

}  // namespace wm::expr
