#include "ingest/trace_event/header_value.h"

#include <algorithm>

#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

ValueExtent MeasureNested(Cursor* cursor, Problems* problems, size_t* length, bool* flawed) {
  for (;;) {
    const Nested nested = ScanNested(cursor->pos(), cursor->end(), false);
    const size_t have = cursor->window().available();
    if (nested.state == NestedState::kSound) {
      *flawed = nested.flawed;
      *length = static_cast<size_t>(nested.end - cursor->pos());
      return ValueExtent::kSound;
    }
    if (nested.state == NestedState::kTooDeep) return ValueExtent::kEndless;
    if (nested.state != NestedState::kNeedMore) break;
    if (have >= kMaxHeaderBytes) return ValueExtent::kEndless;
    cursor->Ahead(have * 2);
    if (cursor->window().available() == have) return ValueExtent::kEndless;
  }
  // Lists of the recorder's messages may hold quotes that it did not escape.
  const Cursor::Place next = cursor->FindNext(1, kMaxHeaderBytes, Cursor::In::kHeader);
  const Nested mended = ScanNested(cursor->pos(), cursor->pos() + next.distance, true);
  if (mended.state != NestedState::kSound) return ValueExtent::kDamaged;
  problems->Add(ProblemKind::kRawQuote, cursor->offset());
  *length = static_cast<size_t>(mended.end - cursor->pos());
  return ValueExtent::kSound;
}

ValueExtent MeasureText(Cursor* cursor, size_t* length) {
  for (;;) {
    ScannedString string;
    const char* const after = ScanString(cursor->pos() + 1, cursor->end(), &string);
    if (after != nullptr) {
      *length = static_cast<size_t>(after - cursor->pos());
      return ValueExtent::kSound;
    }
    const size_t have = cursor->window().available();
    if (have >= kMaxHeaderBytes) return ValueExtent::kEndless;
    cursor->Ahead(have * 2);
    if (cursor->window().available() == have) return ValueExtent::kEndless;
  }
}

}  // namespace

ValueExtent MeasureValue(Cursor* cursor, Problems* problems, size_t* length, bool* flawed) {
  const char first = *cursor->pos();
  ValueExtent extent = ValueExtent::kSound;
  if (first == '{' || first == '[') {
    extent = MeasureNested(cursor, problems, length, flawed);
  } else if (first == '"') {
    extent = MeasureText(cursor, length);
  } else if (first == ':') {
    return ValueExtent::kDamaged;
  } else {
    const char* const end = cursor->LookAhead();
    const char* const word = std::find_if(cursor->pos(), end, [](char c) {
      return c == ',' || c == '}' || c == ']' || c == '"' || c == '\n';
    });
    if (word == end) return ValueExtent::kEndless;
    *length = static_cast<size_t>(word - cursor->pos());
    *flawed = *length > 0 && !IsSoundWord(TrimRight({cursor->pos(), *length}));
  }
  if (extent != ValueExtent::kSound) return extent;
  cursor->Ahead(*length + kLookAhead);
  const char* const after = SkipSpace(cursor->pos() + *length, cursor->end());
  const bool fits = cursor->IsLast(after) || *after == ',' || *after == '}' || *after == '"';
  return fits ? ValueExtent::kSound : ValueExtent::kDamaged;
}

void CaptureValue(Cursor* cursor, std::string* text, size_t limit, bool* complete) {
  Window& window = cursor->window();
  text->clear();
  *complete = true;
  int depth = 0;
  bool in_string = false, escaped = false, started = false;
  if (cursor->Peek() < 0) {
    *complete = false;
    return;
  }
  for (;;) {
    const char* p = window.pos();
    const char* const end = window.end();
    const char* const from = p;
    bool done = false;
    for (; p < end; ++p) {
      const char c = *p;
      if (in_string) {
        if (escaped)
          escaped = false;
        else if (c == '\\')
          escaped = true;
        else if (c == '"') {
          in_string = false;
          if (depth == 0) {
            ++p;
            done = true;
            break;
          }
        }
        continue;
      }
      if (c == '"') {
        if (depth == 0 && started) {
          done = true;
          break;
        }
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) {
          done = true;
          break;
        }
        if (--depth == 0) {
          ++p;
          done = true;
          break;
        }
      } else if (depth == 0 && (c == ',' || (c == '\n' && started))) {
        done = true;
        break;
      }
      started |= !IsSpace(c);
    }
    if (text->size() < limit) {
      text->append(from, std::min<size_t>(static_cast<size_t>(p - from), limit - text->size()));
    }
    if (text->size() >= limit) *complete = false;
    window.set_pos(p);
    if (done) break;
    if (!cursor->Fill()) {
      *complete = false;
      break;
    }
  }
  while (!text->empty() && IsSpace(text->back())) text->pop_back();
}

}  // namespace emberline
