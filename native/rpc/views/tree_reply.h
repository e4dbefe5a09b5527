// How much of a tree one reply holds: so many nodes, and no more text than a reply may have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "analysis/text_cell.h"
#include "base/text.h"
#include "rpc/views/view.h"

namespace emberline {

class TreeReply {
 public:
  // `most_nodes`: of a reply that does not ask for all (params.limit below 0); `node_bytes`: about
  // what a node takes without its texts. What a command line writes out has no limit.
  TreeReply(const ViewRequest& request, size_t most_nodes, size_t node_bytes)
      : all_(request.params.value("limit", int64_t{0}) < 0),
        nodes_left_(all_ ? SIZE_MAX : most_nodes),
        bytes_left_(request.sink != nullptr ? SIZE_MAX
                    : all_                  ? kLargeBytes
                                            : kBytes),
        max_text_(all_ ? kMaxCellText : kMaxText),
        node_bytes_(node_bytes) {}

  bool all() const { return all_; }
  // A text as it is sent.
  std::string Text(std::string_view text) const { return Shortened(text, max_text_); }

  // Whether another node with these texts belongs to the reply; the first one does in any case.
  // What lies below a node that does not is asked for by its parent.
  bool Takes(std::initializer_list<std::string_view> texts) {
    size_t bytes = node_bytes_;
    for (const std::string_view text : texts) bytes += SentBytes(text.substr(0, max_text_));
    if (!first_ && (nodes_left_ == 0 || bytes > bytes_left_)) return false;
    first_ = false;
    --nodes_left_;
    bytes_left_ -= std::min(bytes, bytes_left_);
    return true;
  }

 private:
  // A reply stays below 256 KiB, and below a limit of its own where it asks for all.
  static constexpr size_t kBytes = 224 << 10;
  static constexpr size_t kLargeBytes = 32 << 20;
  static constexpr size_t kMaxText = 2 << 10;

  // Control characters, quotes and backslashes are escaped.
  static size_t SentBytes(std::string_view text) {
    const auto escaped = std::count_if(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\';
    });
    return text.size() + 5 * static_cast<size_t>(escaped);
  }

  const bool all_;
  size_t nodes_left_, bytes_left_;
  const size_t max_text_, node_bytes_;
  bool first_ = true;
};

}  // namespace emberline
