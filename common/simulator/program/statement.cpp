#include "program/statement.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace cuda_simulator {
namespace {

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

// The source, with spaces for comments and for the text of strings.
std::string code_of(const std::string& file) {
  std::ifstream stream(file);
  std::string code{std::istreambuf_iterator<char>(stream), {}};
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    return to;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.compare(i, 2, "//") == 0) {
      i = blank(i, std::min(code.find('\n', i), code.size()));
    } else if (code.compare(i, 2, "/*") == 0) {
      i = blank(i, std::min(code.find("*/", i), code.size() - 2) + 2);
    } else if (code[i] == '"' || (code[i] == '\'' && (i == 0 || !is_in_name(code[i - 1])))) {
      std::size_t end = i + 1;
      while (end < code.size() && code[end] != code[i]) end += code[end] == '\\' ? 2 : 1;
      i = blank(i + 1, end);
    }
  }
  return code;
}

std::string trimmed(const std::string& text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), is_space);
  return {begin, end.base()};
}

// Whether `before` is empty, or is such as "else", "if (...)" or the end of "for (...)".
bool begins_statement(const std::string& before) {
  if (before.empty() || before == "else" || before == "do" || before == "::") return true;
  if (before.back() == ':') return before.find('?') == std::string::npos;  // a label
  if (before.back() != ')') return false;
  const auto count = [&](char c) { return std::count(before.begin(), before.end(), c); };
  if (count(')') > count('(')) return true;
  const auto starts_with = [&](const char* word) { return before.rfind(word, 0) == 0; };
  return starts_with("if") || starts_with("else") || starts_with("for") || starts_with("while");
}

// The index behind the parenthesis that closes the one at `open`.
std::size_t behind_parentheses(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return i + 1;
  }
  return text.size() + 1;
}

}  // namespace

Statement statement_at(const Finding::Place& place) {
  const std::string code = code_of(place.file);
  std::size_t at = 0;
  for (int line = 1; line < place.line && at < code.size(); ++line) {
    at = std::min(code.find('\n', at), code.size() - 1) + 1;
  }
  at += static_cast<std::size_t>(std::max(place.column, 1) - 1);
  Statement statement;
  if (place.file.empty() || at >= code.size()) return statement;
  const std::size_t begin = at == 0 ? 0 : code.find_last_of(";{}", at - 1) + 1;  // 0: the beginning
  const std::string text = trimmed(code.substr(begin, code.find(';', at) - begin));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && is_in_name(text[i - 1])) continue;
    if (text.compare(i, 2, "cu") != 0) continue;
    std::size_t end = i;
    while (end < text.size() && is_in_name(text[end])) ++end;
    std::size_t open = end;
    while (open < text.size() && is_space(text[open])) ++open;
    if (open == text.size() || text[open] != '(') continue;
    statement.function = text.substr(i, end - i);
    statement.is_call = begins_statement(trimmed(text.substr(0, i))) &&
                        behind_parentheses(text, open) == text.size();
    break;
  }
  return statement;
}

}  // namespace cuda_simulator
