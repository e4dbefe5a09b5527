// An iterator over containers that make their rows when they are asked for.
#pragma once

#include <cstddef>
#include <iterator>

namespace emberline {

// Goes over `Rows`, whose operator[] gives a `Row` by value. Does not own them.
template <typename Rows, typename Row>
class RowIterator {
 public:
  using value_type = Row;
  using difference_type = ptrdiff_t;
  using reference = Row;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  RowIterator() = default;
  RowIterator(const Rows* rows, size_t i) : rows_(rows), i_(i) {}
  Row operator*() const { return (*rows_)[i_]; }
  RowIterator& operator++() {
    ++i_;
    return *this;
  }
  RowIterator operator++(int) { return {rows_, i_++}; }
  bool operator==(const RowIterator&) const = default;

 private:
  const Rows* rows_ = nullptr;
  size_t i_ = 0;
};

}  // namespace emberline
