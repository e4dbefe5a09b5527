#include "cost/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace emberline {
namespace {

// No call of a real program has more; what made-up files have beyond is not read.
constexpr size_t kMaxArguments = 512;
constexpr size_t kMaxListed = 4096;  // tensors of a list
constexpr size_t kMaxRank = 64;
// Terabytes, whatever the type: no device has so much memory, and views of less are no operands.
constexpr int64_t kMaxElements = int64_t{1} << 41;

// Reads the lists of the args: [[4, 3], [], [[2], [5]]], ["float", ""].
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  void Blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool Take(char c) {
    Blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool AtEnd() {
    Blanks();
    return at_ >= text_.size();
  }
  char Peek() {
    Blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // A string in quotes, or whatever stands up to the next comma or bracket.
  std::string Word(bool* quoted) {
    Blanks();
    std::string word;
    *quoted = Take('"');
    if (*quoted) {
      for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        word += text_[at_];
      }
      if (at_ < text_.size()) ++at_;
      return word;
    }
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '[') {
      word += text_[at_++];
    }
    while (!word.empty() && word.back() == ' ') word.pop_back();
    return word;
  }
  // Passes over one value with all that it holds, by brackets alone.
  void Skip() {
    int depth = 0;
    bool quoted = false;
    do {
      const char c = Peek();
      if (c == '\0') return;
      if (c == '[') {
        ++depth;
        ++at_;
      } else if (c == ']') {
        if (depth-- == 0) return;
        ++at_;
      } else if (c == ',') {
        if (depth == 0) return;
        ++at_;
      } else {
        Word(&quoted);
      }
    } while (depth > 0);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::optional<int64_t> WholeNumber(std::string_view word) {
  int64_t value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// One item of "Input Dims" or "Input Strides": a list of numbers, or a list of such lists.
struct Shape {
  bool list = false;  // it was a list at all
  bool nested = false;
  const Sentence* fault = nullptr;
  std::vector<int64_t> numbers;
  std::vector<Shape> shapes;
};

Shape ReadShape(ListReader& reader, bool inner) {
  Shape shape;
  if (!reader.Take('[')) {
    reader.Skip();
    return shape;
  }
  shape.list = true;
  bool quoted = false;
  while (!reader.AtEnd() && !reader.Take(']')) {
    if (reader.Peek() == '[') {
      shape.nested = true;
      if (inner || shape.shapes.size() >= kMaxListed) {
        reader.Skip();
        shape.fault = &reasons::kNoNumbers;
      } else {
        shape.shapes.push_back(ReadShape(reader, true));
      }
    } else {
      const auto number = WholeNumber(reader.Word(&quoted));
      if (!number || quoted) {
        shape.fault = &reasons::kNoNumbers;
      } else if (shape.numbers.size() >= kMaxRank) {
        shape.fault = &reasons::kTooManyDimensions;
      } else {
        shape.numbers.push_back(*number);
      }
    }
    if (!reader.Take(',') && reader.Peek() != ']') {
      shape.fault = &reasons::kNoNumbers;
      if (reader.Peek() != '[') break;
    }
  }
  if (shape.nested && !shape.numbers.empty()) shape.fault = &reasons::kNoNumbers;
  return shape;
}

std::vector<Shape> ReadShapes(std::string_view text) {
  std::vector<Shape> shapes;
  ListReader reader(text);
  if (!reader.Take('[')) return shapes;
  while (!reader.AtEnd() && reader.Peek() != ']' && shapes.size() < kMaxArguments) {
    shapes.push_back(ReadShape(reader, false));
    if (!reader.Take(',')) break;
  }
  return shapes;
}

std::vector<std::string> ReadWords(std::string_view text) {
  std::vector<std::string> words;
  ListReader reader(text);
  if (!reader.Take('[')) return words;
  bool quoted = false;
  while (!reader.AtEnd() && reader.Peek() != ']' && words.size() < kMaxArguments) {
    if (reader.Peek() == '[') {
      reader.Skip();
      words.emplace_back();
    } else {
      words.push_back(reader.Word(&quoted));
    }
    if (!reader.Take(',')) break;
  }
  return words;
}

Tensor TensorOf(const Shape& dims, const Shape* strides, DType type) {
  Tensor tensor;
  tensor.present = true;
  tensor.type = type;
  tensor.fault = dims.fault;
  tensor.dims = dims.numbers;
  Amount elements = 1;
  for (const int64_t size : tensor.dims) {
    if (size < 0) tensor.fault = &reasons::kNegativeDimension;
    if (size > 0) elements *= size;
  }
  if (tensor.fault == nullptr && (!elements.known() || elements.value() > kMaxElements)) {
    tensor.fault = &reasons::kTensorTooLarge;
  }
  if (strides != nullptr && strides->fault == nullptr &&
      strides->numbers.size() == tensor.dims.size()) {
    tensor.strides = strides->numbers;
  }
  return tensor;
}

// Words for what is no tensor; before PyTorch 2.0 the names of its types.
bool IsValueType(std::string_view type) {
  constexpr std::string_view kWords[] = {
      "Scalar",  "ScalarList", "Int",      "Double", "Bool",   "Float",  "GenericList",
      "IntList", "DoubleList", "BoolList", "SymInt", "Device", "Layout", "Enum"};
  return std::find(std::begin(kWords), std::end(kWords), type) != std::end(kWords);
}

bool IsListText(std::string_view text) { return !text.empty() && text.front() == '['; }

std::optional<bool> FlagOf(std::string_view word) {
  if (word == "True" || word == "true" || word == "1") return true;
  if (word == "False" || word == "false" || word == "0") return false;
  return std::nullopt;
}

std::vector<std::string> WordsOf(const std::string& text) {
  return IsListText(text) ? ReadWords(text) : std::vector<std::string>{text};
}

}  // namespace

Amount Tensor::Dim(int index) const {
  if (!present) return Amount::Unknown(reasons::kTensorMissing);
  if (fault != nullptr) return Amount::Unknown(*fault);
  const auto at = index < 0 ? static_cast<int64_t>(dims.size()) + index : index;
  if (at < 0 || at >= static_cast<int64_t>(dims.size())) {
    return Amount::Unknown(reasons::kTooFewDimensions);
  }
  return dims[static_cast<size_t>(at)];
}

Amount Tensor::Elements() const {
  if (!present) return Amount::Unknown(reasons::kTensorMissing);
  if (fault != nullptr) return Amount::Unknown(*fault);
  Amount product = 1;
  for (const int64_t size : dims) {
    if (size == 0) return 0;
  }
  for (const int64_t size : dims) product *= size;
  return product;
}

Amount Tensor::UniqueElements() const {
  const Amount all = Elements();
  if (!all.known() || strides.empty() || all.value() == 0) return all;
  Amount unique = 1, span = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (strides[i] == std::numeric_limits<int64_t>::min()) return all;
    const int64_t stride = std::abs(strides[i]);
    if (stride != 0) unique *= dims[i];
    span += Amount(dims[i] - 1) * stride;
  }
  // A span that does not fit bounds nothing.
  return span.known() ? Least(unique, span) : unique;
}

Amount Tensor::ElementBytes() const {
  if (!present) return Amount::Unknown(reasons::kTensorMissing);
  if (type == DType::kUnknown) return Amount::Unknown(reasons::kNoElementType);
  return BytesOf(type);
}

Arguments::Arguments(const RecordedCall& recorded) {
  const std::vector<Shape> dims = ReadShapes(recorded.dims);
  const std::vector<Shape> strides = ReadShapes(recorded.strides);
  const std::vector<std::string> types = ReadWords(recorded.types);
  std::vector<std::string> values = ReadWords(recorded.values);
  has_values_ = !values.empty();
  items_.resize(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    Argument& item = items_[i];
    const std::string type = i < types.size() ? types[i] : "";
    if (i < values.size()) item.text = std::move(values[i]);
    const Shape* stride = i < strides.size() ? &strides[i] : nullptr;
    if (type == "TensorList" || dims[i].nested) {
      item.kind = ArgumentKind::kTensorList;
      for (size_t k = 0; k < dims[i].shapes.size(); ++k) {
        const bool given = stride != nullptr && k < stride->shapes.size();
        item.list.push_back(
            TensorOf(dims[i].shapes[k], given ? &stride->shapes[k] : nullptr, DType::kUnknown));
      }
    } else if (IsValueType(type)) {
      item.kind = ArgumentKind::kValue;
    } else if (!type.empty() || (types.empty() && !dims[i].numbers.empty()) ||
               dims[i].fault != nullptr) {
      item.kind = ArgumentKind::kTensor;
      item.tensor = TensorOf(dims[i], stride, DTypeOfName(type));
      if (!dims[i].list) item.tensor.fault = &reasons::kNoNumbers;
    } else if (!item.text.empty()) {
      item.kind = ArgumentKind::kValue;
    }
  }
}

const Argument& Arguments::operator[](size_t index) const {
  static const Argument none;
  return index < items_.size() ? items_[index] : none;
}

std::optional<int64_t> Arguments::Integer(size_t index) const {
  return WholeNumber((*this)[index].text);
}

std::optional<double> Arguments::Number(size_t index) const {
  const std::string& text = (*this)[index].text;
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::optional<bool> Arguments::Flag(size_t index) const { return FlagOf((*this)[index].text); }

std::optional<std::vector<int64_t>> Arguments::Integers(size_t index) const {
  const std::string& text = (*this)[index].text;
  if (text.empty()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const std::string& word : WordsOf(text)) {
    const auto number = WholeNumber(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<bool>> Arguments::Flags(size_t index) const {
  const std::string& text = (*this)[index].text;
  if (text.empty()) return std::nullopt;
  std::vector<bool> flags;
  for (const std::string& word : WordsOf(text)) {
    const auto flag = FlagOf(word);
    if (!flag) return std::nullopt;
    flags.push_back(*flag);
  }
  return flags;
}

Amount BroadcastElements(const std::vector<const Tensor*>& tensors) {
  std::vector<int64_t> out;
  for (const Tensor* tensor : tensors) {
    if (tensor->fault != nullptr) return Amount::Unknown(*tensor->fault);
    if (!tensor->present) return Amount::Unknown(reasons::kTensorMissing);
    if (tensor->dims.size() > out.size()) {
      out.insert(out.begin(), tensor->dims.size() - out.size(), 1);
    }
    const size_t shift = out.size() - tensor->dims.size();
    for (size_t i = 0; i < tensor->dims.size(); ++i) {
      int64_t& size = out[shift + i];
      if (size == tensor->dims[i] || tensor->dims[i] == 1) continue;
      if (size != 1) return Amount::Unknown(reasons::kShapesDoNotFit);
      size = tensor->dims[i];
    }
  }
  Tensor all;
  all.present = true;
  all.dims = std::move(out);
  return all.Elements();
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace emberline
