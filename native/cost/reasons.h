// The catalog of reasons why a cost is not known: clauses, as they stand behind "FLOPs: " and in
// the column *Why unknown*. One entry for each thing that a formula may lack.
#pragma once

#include "base/message.h"

namespace emberline::reasons {

inline constexpr Sentence kNegativeNumber{"negativeNumber", "a number is negative"};
inline constexpr Sentence kZeroSize{"zeroSize", "a size is 0"};
inline constexpr Sentence kSizesTooLarge{"sizesTooLarge", "the sizes are too large to be real"};
inline constexpr Sentence kNoNumbers{"noNumbers", "a shape holds something other than numbers"};
inline constexpr Sentence kNegativeDimension{"negativeDimension", "a dimension is negative"};
inline constexpr Sentence kTooManyDimensions{"tooManyDimensions",
                                             "a shape has too many dimensions"};
inline constexpr Sentence kTooFewDimensions{"tooFewDimensions", "a shape has too few dimensions"};
inline constexpr Sentence kTensorTooLarge{"tensorTooLarge",
                                          "a tensor is larger than the memory of any device"};
inline constexpr Sentence kTensorMissing{"tensorMissing", "a tensor is missing"};
inline constexpr Sentence kNoElementType{"noElementType", "an element type was not recorded"};
inline constexpr Sentence kShapesDoNotFit{"shapesDoNotFit", "the shapes do not fit each other"};
inline constexpr Sentence kNoLengths{"noLengths", "the lengths were not recorded"};
inline constexpr Sentence kNoLongestSequence{"noLongestSequence",
                                             "the longest sequence was not recorded"};
inline constexpr Sentence kNotAttention{"notAttention",
                                        "the arguments are not those of an attention"};
inline constexpr Sentence kNoSequenceLengths{"noSequenceLengths",
                                             "the lengths of the sequences were not recorded"};
inline constexpr Sentence kNoBackwardShapes{"noBackwardShapes",
                                            "the backward operator's shapes were not recorded"};
inline constexpr Sentence kNoCostedLaunch{"noCostedLaunch",
                                          "no operator with a formula launched it"};
inline constexpr Sentence kNoPointers{"noPointers", "the kernel's pointers were not recorded"};
inline constexpr Sentence kUnknownProduct{"unknownProduct", "the template's product is not known"};
inline constexpr Sentence kNoFactors{"noFactors", "the template's factors were not recorded"};
inline constexpr Sentence kNoWindowNumbers{"noWindowNumbers",
                                           "strides and padding were not recorded"};
inline constexpr Sentence kUnreadableWindow{"unreadableWindow",
                                            "stride, padding or dilation cannot be read"};
inline constexpr Sentence kUnreadableOutputPadding{"unreadableOutputPadding",
                                                   "the output padding cannot be read"};
inline constexpr Sentence kZeroStride{"zeroStride", "a stride is 0"};
inline constexpr Sentence kUnreadableGroups{"unreadableGroups",
                                            "the number of groups cannot be read"};
inline constexpr Sentence kWindowDoesNotFit{"windowDoesNotFit",
                                            "the window does not fit the input"};
inline constexpr Sentence kNotConvolutionTensors{"notConvolutionTensors",
                                                 "input and weight are not those of a convolution"};
inline constexpr Sentence kNotConvolution{"notConvolution",
                                          "the arguments are not those of a convolution"};
inline constexpr Sentence kNoGradientChoice{"noGradientChoice",
                                            "which gradients were asked for was not recorded"};
inline constexpr Sentence kNoGradientSize{"noGradientSize",
                                          "the size of the gradient was not recorded"};
inline constexpr Sentence kNoWeightSize{"noWeightSize", "the size of the weight was not recorded"};
inline constexpr Sentence kLostShapes{"lostShapes",
                                      "shapes of more than 30 tensors are not recorded"};
inline constexpr Sentence kNoReduction{"noReduction", "the reduction was not recorded"};
inline constexpr Sentence kNoTargetLengths{"noTargetLengths",
                                           "the lengths of the targets were not recorded"};
inline constexpr Sentence kInnerDimensionsDiffer{"innerDimensionsDiffer",
                                                 "the inner dimensions differ"};
inline constexpr Sentence kNoMatrices{"noMatrices", "the factors are no matrices"};
inline constexpr Sentence kNoBatchesOfMatrices{"noBatchesOfMatrices",
                                               "the factors are no batches of matrices"};
inline constexpr Sentence kNoMatrixAndVector{"noMatrixAndVector",
                                             "the factors are no matrix and vector"};
inline constexpr Sentence kNoResultType{"noResultType", "the type of the result was not recorded"};
inline constexpr Sentence kNoListShapes{"noListShapes", "the shapes of the list were not recorded"};
inline constexpr Sentence kNoCounts{"noCounts", "the counts were not recorded"};
inline constexpr Sentence kNoDimension{"noDimension", "the dimension was not recorded"};
inline constexpr Sentence kNoTableSize{"noTableSize", "the table's size was not recorded"};
inline constexpr Sentence kNoIndices{"noIndices", "recorders leave out the indices"};
inline constexpr Sentence kNoK{"noK", "k was not recorded"};
inline constexpr Sentence kNoLength{"noLength", "the length was not recorded"};
inline constexpr Sentence kNoSampleCount{"noSampleCount", "the number of samples was not recorded"};
inline constexpr Sentence kNoTrainingMode{
    "noTrainingMode", "whether batch normalization was training was not recorded"};
inline constexpr Sentence kNoNormalizedShape{"noNormalizedShape",
                                             "the normalized shape was not recorded"};
inline constexpr Sentence kNoGroups{"noGroups", "the groups were not recorded"};
inline constexpr Sentence kNoShapes{"noShapes", "shapes were not recorded (record_shapes=True)"};
inline constexpr Sentence kNoFormula{"noFormula", "no formula is known for the operator"};
inline constexpr Sentence kDataDependent{
    "dataDependent", "how many elements fulfil the condition depends on the data"};
inline constexpr Sentence kUnrealWindow{"unrealWindow", "the window cannot be real"};
inline constexpr Sentence kNoWindow{"noWindow", "the window was not recorded"};
inline constexpr Sentence kNotPooling{"notPooling", "the input is not that of a pooling"};
inline constexpr Sentence kNoSize{"noSize", "the size was not recorded"};
inline constexpr Sentence kNoMessage{"noMessage", "the message was not recorded"};
inline constexpr Sentence kNoNetworkSizes{"noNetworkSizes",
                                          "the network's sizes were not recorded"};
inline constexpr Sentence kNoSequence{"noSequence", "the input is no sequence"};
inline constexpr Sentence kNoLayers{"noLayers", "it has no layers"};
inline constexpr Sentence kNoWeights{"noWeights", "the weights were not recorded"};
inline constexpr Sentence kNoReducedDimensions{"noReducedDimensions",
                                               "the reduced dimensions were not recorded"};
inline constexpr Sentence kReducedDimensionMissing{"reducedDimensionMissing",
                                                   "a dimension does not exist, or is named twice"};
inline constexpr Sentence kRuleSilent{"ruleSilent", "the rule says nothing about it"};
inline constexpr Sentence kRuleUnreadable{"ruleUnreadable", "the rule cannot be read"};
inline constexpr Sentence kRulesTooSlow{"rulesTooSlow", "the rules take too long on this trace"};
inline constexpr Sentence kRuleAsksMore{"ruleAsksMore", "the rule asks for what was not recorded"};
inline constexpr Sentence kRuleUnusable{"ruleUnusable", "the rule gives no usable number"};
inline constexpr Sentence kNotExperts{"notExperts",
                                      "the arguments are not those of a mixture of experts"};

}  // namespace emberline::reasons
