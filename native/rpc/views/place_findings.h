// Findings brought to the lines of the source.
#pragma once

#include <memory>

#include "analysis/findings.h"
#include "model/model.h"
#include "rpc/views/view.h"
#include "session/lines.h"

namespace emberline {

// Lines of the trace where params say where sources lie; else null. Errors: kCancelled.
Result<std::shared_ptr<const LineData>> LinesWhereAsked(const ViewRequest& request);

// Recorders name a function's first line; the sources tell which of its lines a finding means.
void PlaceFinding(const Model& model, const LineData& data, Finding* finding);

}  // namespace emberline
