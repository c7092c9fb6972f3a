// Recursive descent into postfix, and a stack machine over it.
#include "libwm/expr/select.h"

#include <array>
#include <optional>
#include <utility>

#include "libwm/base/excerpt.h"
#include "libwm/expr/token.h"
#include "libwm/model/machine_words.h"

namespace wm::expr {
namespace {

using Op = Select::Op;
using Nodes = std::vector<Select::Node>;
using Kind = Token::Kind;

constexpr int kMaxDepth = 200;

struct Binary {
  std::string_view sign;
  Op op;
};
constexpr std::array<Binary, 6> kComparisons = {
    {{"==", Op::Eq}, {"!=", Op::Ne}, {"<=", Op::Le}, {">=", Op::Ge}, {"<", Op::Lt}, {">", Op::Gt}}};

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, std::string_view text) : at_(tokens), text_(text) {}

  Result<Nodes> whole() {
    WM_TRY(disjunction());
    if (!at_.done()) return wrong("expected an operator");
    return std::move(out_);
  }

 private:
  Error wrong(const std::string& what) const {
    return fail(Code::BadArgument, "Error in select section near \"" +
                                       excerpt(text_.substr(at_.peek().at)) + "\": " + what +
                                       ": Bad resource requirement syntax");
  }
  Result<void> disjunction() {
    if (++depth_ > kMaxDepth) return wrong("nested too deep");
    WM_TRY(conjunction());
    while (at_.take("||")) {
      WM_TRY(conjunction());
      emit(Op::Or);
    }
    --depth_;
    return {};
  }
  Result<void> conjunction() {
    WM_TRY(negation());
    while (at_.take("&&")) {
      WM_TRY(negation());
      emit(Op::And);
    }
    return {};
  }
  Result<void> negation() {
    int times = 0;
    while (at_.take("!")) ++times;
    WM_TRY(comparison());
    if (times > 0) emit(Op::Not);
    if (times > 0 && times % 2 == 0) emit(Op::Not);
    return {};
  }
  Result<void> comparison() {
    WM_TRY(sum());
    for (const auto& [sign, op] : kComparisons) {
      if (!at_.take(sign)) continue;
      WM_TRY(sum());
      as_machine_word();
      emit(op);
      return {};
    }
    return {};
  }
  // model == 'Intel Xeon': a text that is compared with such a word is one, too.
  void as_machine_word() {
    if (out_.size() < 2) return;
    auto& left = out_[out_.size() - 2];
    auto& right = out_.back();
    auto is_leaf = [](const Select::Node& node) {
      return node.op == Op::Text || node.op == Op::Name;
    };
    if (!is_leaf(left) || !is_leaf(right)) return;
    if (left.op == Op::Name) right.text = machine_word(left.text, right.text);
    if (right.op == Op::Name) left.text = machine_word(right.text, left.text);
  }
  Result<void> sum() {
    WM_TRY(product());
    while (at_.is("+") || at_.is("-")) {
      Op op = at_.next().text == "+" ? Op::Add : Op::Sub;
      WM_TRY(product());
      emit(op);
    }
    return {};
  }
  Result<void> product() {
    WM_TRY(atom());
    while (at_.is("*") || at_.is("/")) {
      Op op = at_.next().text == "*" ? Op::Mul : Op::Div;
      WM_TRY(atom());
      emit(op);
    }
    return {};
  }
  Result<void> atom() {
    if (at_.take("-")) {
      if (++depth_ > kMaxDepth) return wrong("nested too deep");
      WM_TRY(atom());
      --depth_;
      emit(Op::Minus);
      return {};
    }
    if (at_.take("(")) {
      WM_TRY(disjunction());
      if (!at_.take(")")) return wrong("expected \")\"");
      return {};
    }
    return leaf();
  }
  Result<void> leaf() {
    const Token& token = at_.peek();
    if (token.kind == Kind::Number) return push({Op::Number, token.number, ""});
    if (token.kind == Kind::Text) return push({Op::Text, 0, token.text});
    if (token.kind != Kind::Name) return wrong("Expected number, string, name or \"(\"");
    if (token.text != "defined") return push({Op::Name, 0, token.text});
    at_.next();
    if (!at_.take("(") || at_.peek().kind != Kind::Name) return wrong("expected defined(name)");
    WM_TRY(push({Op::Defined, 0, at_.peek().text}));
    if (!at_.take(")")) return wrong("expected \")\"");
    return {};
  }
  Result<void> push(Select::Node node) {
    out_.push_back(std::move(node));
    at_.next();
    return {};
  }
  void emit(Op op) { out_.push_back({op, 0, ""}); }

  Cursor at_;
  std::string_view text_;
  Nodes out_;
  int depth_ = 0;
};

// A value on the stack: a name keeps its own spelling, for when the host does not have it.
struct Operand {
  std::optional<Value> value;
  std::string name;
};

bool truth(const Operand& x) {
  if (!x.value) return false;
  if (auto* number = std::get_if<double>(&*x.value)) return *number != 0;
  return !std::get<std::string>(*x.value).empty();
}

double number_of(const Operand& x) {
  auto* number = x.value ? std::get_if<double>(&*x.value) : nullptr;
  return number ? *number : 0;
}

bool equal(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (a.index() == 0) return a == b;
  const auto &x = std::get<std::string>(a), &y = std::get<std::string>(b);
  return x == y || x == "any" || y == "any" || x == "local" || y == "local";
}

// Left and right of a comparison; an unknown name on the right is a text.
bool compare(Op op, const Operand& a, Operand b) {
  if (!b.value && !b.name.empty()) b.value = Value(b.name);
  if (!a.value || !b.value) return false;
  if (op == Op::Eq) return equal(*a.value, *b.value);
  if (op == Op::Ne) return !equal(*a.value, *b.value);
  if (a.value->index() != b.value->index()) return false;
  if (op == Op::Lt) return *a.value < *b.value;
  if (op == Op::Le) return *a.value <= *b.value;
  if (op == Op::Gt) return *a.value > *b.value;
  return *a.value >= *b.value;
}

double arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    default: return b == 0 ? 0 : a / b;
  }
}

Operand number(double value) { return {Value(value), ""}; }

Operand binary(Op op, const Operand& a, Operand b) {
  switch (op) {
    case Op::And: return number(truth(a) && truth(b));
    case Op::Or: return number(truth(a) || truth(b));
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div: return number(arithmetic(op, number_of(a), number_of(b)));
    default: return number(compare(op, a, std::move(b)));
  }
}

Operand leaf_value(const Select::Node& node, const Lookup& lookup) {
  switch (node.op) {
    case Op::Number: return number(node.number);
    case Op::Text: return {Value(node.text), ""};
    case Op::Name: return {lookup(node.text), node.text};
    default: return number(lookup(node.text).has_value());
  }
}

void step(const Select::Node& node, const Lookup& lookup, std::vector<Operand>& stack) {
  if (node.op <= Op::Defined) {
    stack.push_back(leaf_value(node, lookup));
  } else if (node.op == Op::Not) {
    stack.back() = number(!truth(stack.back()));
  } else if (node.op == Op::Minus) {
    stack.back() = number(-number_of(stack.back()));
  } else {
    Operand b = std::move(stack.back());
    stack.pop_back();
    stack.back() = binary(node.op, stack.back(), std::move(b));
  }
}

}  // namespace

Result<Select> Select::parse(std::string_view text) {
  Select select;
  auto tokens = tokens_of(text);
  if (tokens.size() == 1) return select;
  WM_TRY(select.nodes_, Parser(tokens, text).whole());
  select.text_ = text;
  return select;
}

bool Select::matches(const Lookup& lookup) const {
  if (nodes_.empty()) return true;
  std::vector<Operand> stack;
  for (const auto& node : nodes_) step(node, lookup, stack);
  return truth(stack.back());
}

}  // namespace wm::expr
