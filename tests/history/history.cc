#include "tests/history/history.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace fdbjobs::test {
namespace {

// Encoder and Decoder take the same calls, so that each type lists its fields once. Processes of one machine and one
// build talk here, so integers go as they are in memory.
class Encoder {
 public:
  template <typename Int>
  void Number(const Int& value) {
    const auto wide = static_cast<int64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  void Bytes(const std::string& value) {
    Number(value.size());
    bytes_.append(value);
  }
  template <typename T>
  size_t Size(const std::vector<T>& list) {
    Number(list.size());
    return list.size();
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  template <typename Int>
  void Number(Int& value) {
    int64_t wide = 0;
    std::memcpy(&wide, Next(sizeof wide).data(), sizeof wide);
    value = static_cast<Int>(wide);
  }
  void Bytes(std::string& value) {
    size_t size = 0;
    Number(size);
    value = Next(size);
  }
  template <typename T>
  size_t Size(std::vector<T>& list) {
    size_t size = 0;
    Number(size);
    list.resize(size);
    return size;
  }
  bool AtEnd() const { return bytes_.empty(); }

 private:
  std::string_view Next(size_t size) {
    if (size > bytes_.size()) {
      std::fprintf(stderr, "a recorded history ends too early\n");
      std::abort();
    }
    const std::string_view next = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return next;
  }

  std::string_view bytes_;
};

// T is const when encoding.
template <typename T, typename Plain>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Plain>;

template <typename Coder, MaybeConst<Selector> T>
void Fields(Coder& coder, T& selector) {
  coder.Bytes(selector.key);
  coder.Number(selector.or_equal);
  coder.Number(selector.offset);
}

template <typename Coder, MaybeConst<std::optional<std::string>> T>
void Fields(Coder& coder, T& optional) {
  bool present = optional.has_value();
  coder.Number(present);
  if (!present) return;
  if constexpr (!std::is_const_v<T>) optional.emplace();
  coder.Bytes(*optional);
}

template <typename Coder, MaybeConst<Operation> T>
void Fields(Coder& coder, T& operation) {
  coder.Number(operation.kind);
  coder.Bytes(operation.key);
  coder.Bytes(operation.value);
  coder.Number(operation.mutation);
  coder.Number(operation.stamp_at);
  Fields(coder, operation.begin);
  Fields(coder, operation.end);
  coder.Number(operation.reverse);
  coder.Number(operation.limit);
  coder.Number(operation.mode);
  coder.Number(operation.whole);
  coder.Number(operation.snapshot);
  coder.Number(operation.rechecked);
  coder.Number(operation.together);
  Fields(coder, operation.found);
  const size_t rows = coder.Size(operation.rows);
  for (size_t i = 0; i < rows; ++i) {
    coder.Bytes(operation.rows[i].first);
    coder.Bytes(operation.rows[i].second);
  }
  coder.Number(operation.more);
}

template <typename Coder, MaybeConst<Attempt> T>
void Fields(Coder& coder, T& attempt) {
  coder.Number(attempt.id);
  coder.Number(attempt.own_writes);
  coder.Number(attempt.started_us);
  coder.Number(attempt.finished_us);
  coder.Number(attempt.read_version);
  coder.Number(attempt.version_given);
  coder.Number(attempt.read_only);
  const size_t operations = coder.Size(attempt.operations);
  for (size_t i = 0; i < operations; ++i) Fields(coder, attempt.operations[i]);
  coder.Number(attempt.error);
  coder.Number(attempt.commit_tried);
  coder.Number(attempt.maybe_committed);
  coder.Number(attempt.committed_version);
  coder.Bytes(attempt.stamp);
}

std::string ShowSelector(const Selector& selector) {
  return absl::StrCat("(", Show(selector.key), selector.or_equal ? " or equal" : "", ", ", selector.offset, ")");
}

std::string ShowResult(const Operation& operation) {
  if (operation.kind != Operation::Kind::kGetRange) {
    return operation.found ? absl::StrCat(" -> \"", Show(*operation.found), "\"") : " -> nothing";
  }
  std::string text = " -> {";
  for (const Row& row : operation.rows) absl::StrAppend(&text, " ", Show(row.first), "=", Show(row.second));
  return absl::StrCat(text, operation.more ? " } and more" : " }");
}

std::string ShowRead(const Operation& operation) {
  std::string text = operation.snapshot ? "snapshot " : "";
  if (operation.kind == Operation::Kind::kGet) {
    absl::StrAppend(&text, "get ", Show(operation.key));
  } else if (operation.kind == Operation::Kind::kGetKey) {
    absl::StrAppend(&text, "get_key ", ShowSelector(operation.begin));
  } else {
    absl::StrAppend(&text, "get_range ", ShowSelector(operation.begin), " to ", ShowSelector(operation.end),
                    operation.reverse ? " reverse" : "", " limit ", operation.limit, " mode ", operation.mode,
                    operation.whole ? " whole" : "");
  }
  return absl::StrCat(text, operation.rechecked ? " rechecked" : "", ShowResult(operation));
}

}  // namespace

std::string Encode(const std::vector<Attempt>& attempts) {
  Encoder encoder;
  for (const Attempt& attempt : attempts) Fields(encoder, attempt);
  return encoder.Take();
}

std::vector<Attempt> Decode(std::string_view bytes) {
  Decoder decoder(bytes);
  std::vector<Attempt> attempts;
  while (!decoder.AtEnd()) Fields(decoder, attempts.emplace_back());
  return attempts;
}

std::string Show(std::string_view bytes) { return absl::CHexEscape(std::string(bytes)); }

std::string Show(const Operation& operation) {
  const std::string key = Show(operation.key);
  const std::string value = Show(operation.value);
  switch (operation.kind) {
    case Operation::Kind::kSet:
      return absl::StrCat("set ", key, " = ", value);
    case Operation::Kind::kClear:
      return absl::StrCat("clear ", key);
    case Operation::Kind::kClearRange:
      return absl::StrCat("clear ", key, " to ", value);
    case Operation::Kind::kAtomic:
      return absl::StrCat("atomic ", operation.mutation, " ", key, " with ", value);
    case Operation::Kind::kStampedKey:
      return absl::StrCat("stamped key ", key, " at ", operation.stamp_at, " = ", value);
    case Operation::Kind::kStampedValue:
      return absl::StrCat("stamped value ", key, " = ", value, " at ", operation.stamp_at);
    case Operation::Kind::kReadConflict:
      return absl::StrCat("read conflict ", key, " to ", value);
    case Operation::Kind::kWriteConflict:
      return absl::StrCat("write conflict ", key, " to ", value);
    default:
      return ShowRead(operation);
  }
}

std::string Show(const Attempt& attempt) {
  std::string text = absl::StrCat("attempt ", absl::Hex(attempt.id), ", read version ", attempt.read_version,
                                  attempt.version_given ? " (given)" : "", ", error ", attempt.error, ", stamp ",
                                  Show(attempt.stamp), ", own writes ", static_cast<int>(attempt.own_writes), "\n");
  for (const Operation& operation : attempt.operations) absl::StrAppend(&text, "  ", Show(operation), "\n");
  return text;
}

int64_t VersionOfStamp(std::string_view stamp) {
  uint64_t version = 0;
  for (size_t i = 0; i < 8 && i < stamp.size(); ++i) version = version << 8 | static_cast<uint8_t>(stamp[i]);
  return static_cast<int64_t>(version);
}

}  // namespace fdbjobs::test
