#include "analysis/columns.h"

namespace emberline {
namespace {

Column Made(const char* key, const char* title, const char* definition, CellType type, Unit unit,
            ColumnRole role, Merge merge = Merge::kNone) {
  return {key, title, definition, type, unit, role, merge, role == ColumnRole::kLink};
}

}  // namespace

Column TextKey(const char* key, const char* title, const char* definition) {
  return Made(key, title, definition, CellType::kText, Unit::kNone, ColumnRole::kKey);
}

Column IntegerKey(const char* key, const char* title, const char* definition, Unit unit) {
  return Made(key, title, definition, CellType::kInteger, unit, ColumnRole::kKey);
}

Column TextFact(const char* key, const char* title, const char* definition) {
  return Made(key, title, definition, CellType::kText, Unit::kNone, ColumnRole::kFact);
}

Column IntegerFact(const char* key, const char* title, const char* definition, Unit unit) {
  return Made(key, title, definition, CellType::kInteger, unit, ColumnRole::kFact);
}

Column FlagFact(const char* key, const char* title, const char* definition) {
  return Made(key, title, definition, CellType::kBool, Unit::kNone, ColumnRole::kFact);
}

Column MomentFact(const char* key, const char* title, const char* definition) {
  return Made(key, title, definition, CellType::kNumber, Unit::kUs, ColumnRole::kFact);
}

Column Duration(const char* key, const char* title, const char* definition, Merge merge) {
  return Made(key, title, definition, CellType::kNumber, Unit::kUs, ColumnRole::kMeasure, merge);
}

Column Count(const char* key, const char* title, const char* definition, Merge merge) {
  return Made(key, title, definition, CellType::kInteger, Unit::kCount, ColumnRole::kMeasure,
              merge);
}

Column ByteCount(const char* key, const char* title, const char* definition, Merge merge) {
  return Made(key, title, definition, CellType::kInteger, Unit::kBytes, ColumnRole::kMeasure,
              merge);
}

Column Share(const char* key, const char* title, const char* definition) {
  return Made(key, title, definition, CellType::kNumber, Unit::kRatio, ColumnRole::kMeasure);
}

Column Quotient(const char* key, const char* title, const char* definition, Unit unit) {
  return Made(key, title, definition, CellType::kNumber, unit, ColumnRole::kMeasure);
}

Column Link(const char* key, const char* title, const char* definition, CellType type) {
  return Made(key, title, definition, type, Unit::kNone, ColumnRole::kLink);
}

}  // namespace emberline
