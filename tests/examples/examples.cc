#include "tests/examples/examples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace fdbjobs::test {
namespace {

std::vector<std::string> LinesOf(const std::string& path) { return absl::StrSplit(ReadSource(path), '\n'); }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Without comments that go to the end of a line, and without white space.
std::string Squeeze(std::string_view code) {
  std::string squeezed;
  for (size_t i = 0; i < code.size(); ++i) {
    const bool comment = code.substr(i).starts_with("//") && (i == 0 || IsSpace(code[i - 1]));
    if (comment) i = std::min(code.size(), code.find('\n', i));
    if (i < code.size() && !IsSpace(code[i])) squeezed.push_back(code[i]);
  }
  return squeezed;
}

// Whether the pieces come one after the other.
bool HasInOrder(const std::vector<std::string>& pieces, std::string_view text) {
  size_t at = 0;
  for (const std::string& piece : pieces) {
    at = text.find(piece, at);
    if (at == std::string_view::npos) return false;
    at += piece.size();
  }
  return true;
}

// As opposed to tables and lists of words.
bool LooksLikeCode(const std::string& text) {
  const std::string code = Squeeze(text);
  if (code.empty() || code.front() == '{' || code.front() == '(' || code.front() == '-') return false;
  return code.back() == ';' || code.back() == '}' || code.back() == ')' || code.ends_with("...");
}

}  // namespace

std::string ReadSource(const std::string& path) {
  std::ifstream file(absl::StrCat(FDBJOBS_SOURCE_DIR, "/", path));
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<Example> ExamplesOfPage(const std::string& path) {
  std::vector<Example> examples;
  bool inside = false;
  int number = 0;
  for (const std::string& line : LinesOf(path)) {
    ++number;
    if (line == "```cpp") {
      inside = true;
      examples.push_back({absl::StrCat(path, ":", number), ""});
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      absl::StrAppend(&examples.back().code, line, "\n");
    }
  }
  return examples;
}

std::vector<Example> ExamplesOfHeader(const std::string& path) {
  std::vector<Example> examples;
  Example now;
  int number = 0;
  const auto end = [&] {
    if (LooksLikeCode(now.code)) examples.push_back(now);
    now = {};
  };
  for (const std::string& line : LinesOf(path)) {
    ++number;
    constexpr std::string_view kSetOff = "//   ";
    if (!line.starts_with(kSetOff)) {
      end();
      continue;
    }
    if (now.code.empty()) now.where = absl::StrCat(path, ":", number);
    now.code.append(line.substr(kSetOff.size())).push_back('\n');
  }
  end();
  return examples;
}

std::vector<std::string> FilesIn(const std::string& folder, std::string_view extension) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(absl::StrCat(FDBJOBS_SOURCE_DIR, "/", folder))) {
    if (entry.path().extension() == extension) {
      files.push_back(absl::StrCat(folder, "/", entry.path().filename().string()));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool IsProgram(const Example& example) { return example.code.find("int main(") != std::string::npos; }

bool IsPartOf(std::string_view code, std::string_view source) {
  const std::vector<std::string> pieces = absl::StrSplit(Squeeze(code), "...");
  if (pieces.size() == 1) return HasInOrder(pieces, Squeeze(source));
  const std::vector<std::string> functions = absl::StrSplit(std::string(source), "\n}\n");
  for (const std::string& function : functions) {
    if (HasInOrder(pieces, Squeeze(function))) return true;
  }
  return false;
}

}  // namespace fdbjobs::test
