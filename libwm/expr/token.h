// Role: splits a resource-requirement string into tokens, for the parsers of this folder.
// Never fails: a character that belongs to nothing becomes a token of kind Bad, which no
// parser accepts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::expr {

/// Without blanks and ends of lines around it. @cost O(length)
std::string_view trimmed(std::string_view text);

/// "…: Bad resource requirement syntax", a BadArgument.
Error syntax(const std::string& text);

/// A piece of the text.
struct Token {
  enum class Kind { Name, Number, Text, Sign, Bad, End };
  Kind kind = Kind::End;
  std::string text;   ///< a name, an operator, or what stood between quotes
  double number = 0;  ///< of a Number, its unit applied. @units MB where it has a size unit
  bool has_unit = false;
  std::size_t at = 0;  ///< offset of its first character
  bool operator==(const Token&) const = default;
};

/// Tokens of `text`, with End as the last. Names are letters, digits, _ . and @; after == and
/// != also '-', as in hname!=node-1; a number may have a size unit (K KB M MB G GB T TB, any case),
/// which turns it into MB.
/// @cost O(length)   @thread any
std::vector<Token> tokens_of(std::string_view text);

/// A position in a list of tokens that ends with End; never moves beyond it.
class Cursor {
 public:
  /// @owns borrows the list
  explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}

  const Token& peek() const { return tokens_[at_]; }
  const Token& next() { return peek().kind == Token::Kind::End ? peek() : tokens_[at_++]; }
  bool is(std::string_view sign) const {
    return peek().kind == Token::Kind::Sign && peek().text == sign;
  }
  bool done() const { return peek().kind == Token::Kind::End; }

  /// Steps over the sign if it is next. @cost O(1)
  bool take(std::string_view sign) {
    if (!is(sign)) return false;
    ++at_;
    return true;
  }

 private:
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace wm::expr
