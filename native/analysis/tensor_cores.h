// Which kernels ran on matrix units (NVIDIA tensor cores, AMD MFMA), told by their names, and which
// operators could have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/matrix_units.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

const char* VendorName(Vendor vendor);  // "", "NVIDIA", "AMD", "Intel"

// Vendor of the devices of a trace: by device properties, else by the names of the launch calls.
Vendor VendorOf(const Model& model);

// Rules of one vendor plus the user's own, which are asked first. Names are compared without
// regard to case.
class TensorCoreRules {
 public:
  explicit TensorCoreRules(Vendor vendor) : vendor_(vendor) {}
  // Adds a user's rule: "text" or "+text" marks kernels whose name contains the text, "-text"
  // exempts them; the first of these that matches decides. "op:name" adds an operator that matrix
  // units can run. Errors: kInvalidArgument for an empty text.
  Result<bool> Add(std::string_view rule);
  // `core`: the type of core that was recorded for it, which tells more than the name; "" for none.
  MatrixUse UseOf(std::string_view kernel_name, std::string_view core = {}) const;
  bool Uses(std::string_view kernel_name) const { return UseOf(kernel_name) == MatrixUse::kYes; }
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

// Kernel names of a trace, judged once each. Copies, sets and communication never count.
class TensorCoreKernels {
 public:
  TensorCoreKernels(const Model& model, const TensorCoreRules& rules);
  MatrixUse UseOf(SliceIndex slice) const;
  bool Uses(SliceIndex slice) const { return UseOf(slice) == MatrixUse::kYes; }
  const TensorCoreRules& rules() const { return rules_; }
  size_t MemoryBytes() const { return by_name_.capacity() * sizeof(MatrixUse); }

 private:
  const TraceStore* store_;
  TensorCoreRules rules_;
  std::vector<MatrixUse> by_name_;
};

// True for operators that matrix units can run, by exact name: those of the plugin's
// list, and the names that PyTorch has used since.
bool IsTensorCoreEligibleName(std::string_view op_name);

// Per slice: an op whose name is eligible, or that has an eligible child, or that itself launched a
// kernel which used the units.
std::vector<bool> TensorCoreEligible(const Model& model, const TensorCoreKernels& kernels);

}  // namespace emberline
