// Which kernels ran on matrix units (NVIDIA tensor cores, AMD MFMA), told by their names, and which
// operators could have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace emberline {

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kIntel };
const char* VendorName(Vendor vendor);  // "", "NVIDIA", "AMD", "Intel"

// Vendor of the devices of a trace: by device properties, else by the names of the launch calls.
Vendor VendorOf(const Model& model);

// Rules of one vendor plus the user's own, which are asked first. Names are compared without
// regard to case. The built-in rules are the table of op-cost-model, section 5.4.
class TensorCoreRules {
 public:
  explicit TensorCoreRules(Vendor vendor) : vendor_(vendor) {}
  // Adds a user's rule: "text" or "+text" marks kernels whose name contains the text, "-text"
  // exempts them; the first of these that matches decides. "op:name" adds an operator that matrix
  // units can run. Errors: kInvalidArgument for an empty text.
  Result<bool> Add(std::string_view rule);
  bool Uses(std::string_view kernel_name) const;
  // The operator is one that matrix units can run: by the table, or by a rule of the user.
  bool Eligible(std::string_view op_name) const;
  Vendor vendor() const { return vendor_; }

 private:
  struct Rule {
    std::string part;  // lower case
    bool uses;
  };
  Vendor vendor_;
  std::vector<Rule> own_;
  std::vector<std::string> own_operators_;
};

// Kernel names of a trace, judged once each. Copies and sets never count.
class TensorCoreKernels {
 public:
  TensorCoreKernels(const Model& model, const TensorCoreRules& rules);
  bool Uses(SliceIndex slice) const;
  const TensorCoreRules& rules() const { return rules_; }

 private:
  const TraceStore* store_;
  TensorCoreRules rules_;
  std::vector<bool> by_name_;
};

// True for operators that matrix units can run, by exact name (view-semantics 6.4, with the names
// that PyTorch has used since).
bool IsTensorCoreEligibleName(std::string_view op_name);

// Per slice: an op whose name is eligible, or that has an eligible child, or that itself launched a
// kernel which used the units.
std::vector<bool> TensorCoreEligible(const Model& model, const TensorCoreKernels& kernels);

}  // namespace emberline
