#include "json/write_json.h"

#include <memory>
#include <string>

namespace emberline {
namespace {

// Length of the part of UTF-8 text that ends with a whole character.
size_t WholeCharacters(std::string_view text) {
  size_t lead = text.size();
  while (lead > 0 && text.size() - lead < 3 &&
         (static_cast<unsigned char>(text[lead - 1]) & 0xc0) == 0x80) {
    --lead;
  }
  if (lead == 0) return text.size();
  const auto first = static_cast<unsigned char>(text[lead - 1]);
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return text.size() - lead + 1 < length ? lead - 1 : text.size();
}

// Collects what the serializer writes into pieces.
class PieceOutput : public nlohmann::detail::output_adapter_protocol<char> {
 public:
  explicit PieceOutput(const std::function<bool(std::string_view)>& write) : write_(write) {}
  void write_character(char c) override {
    piece_ += c;
    if (piece_.size() >= kPiece) Flush(WholeCharacters(piece_));
  }
  void write_characters(const char* text, std::size_t size) override {
    piece_.append(text, size);
    if (piece_.size() >= kPiece) Flush(WholeCharacters(piece_));
  }
  bool Finish() {
    Flush(piece_.size());
    return good_;
  }

 private:
  static constexpr size_t kPiece = 64 << 10;
  void Flush(size_t size) {
    good_ = good_ && write_(std::string_view(piece_).substr(0, size));
    piece_.erase(0, size);
  }

  const std::function<bool(std::string_view)>& write_;
  std::string piece_;
  bool good_ = true;
};

}  // namespace

bool WriteJson(const Json& value, const std::function<bool(std::string_view)>& write) {
  const auto output = std::make_shared<PieceOutput>(write);
  nlohmann::detail::serializer<Json>(output, ' ', Json::error_handler_t::replace)
      .dump(value, false, false, 0);
  return output->Finish();
}

}  // namespace emberline
