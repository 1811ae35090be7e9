// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// tools/interface/interface.py --write makes this file from the public headers.
// clang-format off
#include "patchbay/attention.h"
#include "patchbay/autograd.h"
#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/convolution.h"
#include "patchbay/elementwise.h"
#include "patchbay/fft.h"
#include "patchbay/functional.h"
#include "patchbay/fuse.h"
#include "patchbay/indexing.h"
#include "patchbay/linalg.h"
#include "patchbay/normalization.h"
#include "patchbay/ops.h"
#include "patchbay/pooling.h"
#include "patchbay/random.h"
#include "patchbay/recurrent.h"
#include "patchbay/sorting.h"
#include "patchbay/tensor.h"
#include "patchbay/updates.h"

#include "core/tensor/call/arguments.h"
#include "core/tensor/call/signature.h"

namespace patchbay::tensor {

namespace {

using Results = std::vector<Tensor>;

constexpr Word kActivationWords[] = {{"none", std::int64_t(patchbay::Activation::kNone)}, {"relu",
    std::int64_t(patchbay::Activation::kRelu)}, {"gelu", std::int64_t(patchbay::Activation::kGelu)}, {"sigmoid",
    std::int64_t(patchbay::Activation::kSigmoid)}, {"tanh", std::int64_t(patchbay::Activation::kTanh)}};
constexpr Word kConvolvePartWords[] = {{"full", std::int64_t(patchbay::ConvolvePart::kFull)}, {"same",
    std::int64_t(patchbay::ConvolvePart::kSame)}, {"valid", std::int64_t(patchbay::ConvolvePart::kValid)}};
constexpr Word kFftNormWords[] = {{"backward", std::int64_t(patchbay::FftNorm::kBackward)}, {"ortho",
    std::int64_t(patchbay::FftNorm::kOrtho)}, {"forward", std::int64_t(patchbay::FftNorm::kForward)}};
constexpr Word kLossReductionWords[] = {{"none", std::int64_t(patchbay::LossReduction::kNone)}, {"mean",
    std::int64_t(patchbay::LossReduction::kMean)}, {"sum", std::int64_t(patchbay::LossReduction::kSum)}};
constexpr Word kMatrixNormWords[] = {{"frobenius", std::int64_t(patchbay::MatrixNorm::kFrobenius)}, {"nuclear",
    std::int64_t(patchbay::MatrixNorm::kNuclear)}, {"two", std::int64_t(patchbay::MatrixNorm::kTwo)}, {"minus_two",
    std::int64_t(patchbay::MatrixNorm::kMinusTwo)}, {"one", std::int64_t(patchbay::MatrixNorm::kOne)}, {"minus_one",
    std::int64_t(patchbay::MatrixNorm::kMinusOne)}, {"infinity", std::int64_t(patchbay::MatrixNorm::kInfinity)},
    {"minus_infinity", std::int64_t(patchbay::MatrixNorm::kMinusInfinity)}};
constexpr Word kQrModeWords[] = {{"reduced", std::int64_t(patchbay::QrMode::kReduced)}, {"complete",
    std::int64_t(patchbay::QrMode::kComplete)}};
constexpr Argument kOfTensorCast[] = {{"self", ValueKind::kTensor, true}, {"dtype", ValueKind::kDtype, true}};
constexpr Argument kOfTensorClone[] = {{"self", ValueKind::kTensor, true}};
constexpr Argument kOfTensorCopyFrom[] = {{"self", ValueKind::kTensor, true}, {"source", ValueKind::kTensor, true},
    {"non_blocking", ValueKind::kBool, false}};
constexpr Argument kOfTensorDiagonal[] = {{"self", ValueKind::kTensor, true}, {"offset", ValueKind::kInteger, false},
    {"dim0", ValueKind::kInteger, false}, {"dim1", ValueKind::kInteger, false}};
constexpr Argument kOfTensorExpand[] = {{"self", ValueKind::kTensor, true}, {"shape", ValueKind::kIntegers, true}};
constexpr Argument kOfTensorFill[] = {{"self", ValueKind::kTensor, true}, {"value", ValueKind::kScalar, true}};
constexpr Argument kOfTensorNewEmpty[] = {{"self", ValueKind::kTensor, true}, {"shape", ValueKind::kIntegers, true},
    {"dtype", ValueKind::kDtype, false}};
constexpr Argument kOfTensorNewFull[] = {{"self", ValueKind::kTensor, true}, {"shape", ValueKind::kIntegers, true},
    {"value", ValueKind::kScalar, true}, {"dtype", ValueKind::kDtype, false}};
constexpr Argument kOfTensorPermute[] = {{"self", ValueKind::kTensor, true}, {"dims", ValueKind::kIntegers, true}};
constexpr Argument kOfTensorRequiresGrad[] = {{"self", ValueKind::kTensor, true}, {"value", ValueKind::kBool, false}};
constexpr Argument kOfTensorSelect[] = {{"self", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true},
    {"index", ValueKind::kInteger, true}};
constexpr Argument kOfTensorSetGrad[] = {{"self", ValueKind::kTensor, true}, {"gradient", ValueKind::kTensor, true}};
constexpr Argument kOfTensorSlice[] = {{"self", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true},
    {"start", ValueKind::kInteger, true}, {"end", ValueKind::kInteger, false}, {"step", ValueKind::kInteger, false}};
constexpr Argument kOfTensorSqueeze[] = {{"self", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true}};
constexpr Argument kOfTensorTo[] = {{"self", ValueKind::kTensor, true}, {"device", ValueKind::kDevice, true}, {"copy",
    ValueKind::kBool, false}, {"non_blocking", ValueKind::kBool, false}};
constexpr Argument kOfTensorTranspose[] = {{"self", ValueKind::kTensor, true}, {"dim0", ValueKind::kInteger, true},
    {"dim1", ValueKind::kInteger, true}};
constexpr Argument kOfAbs[] = {{"a", ValueKind::kTensor, true}};
constexpr Argument kOfAbsOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}};
constexpr Argument kOfAdamUpdate[] = {{"parameters", ValueKind::kTensors, true}, {"gradients", ValueKind::kTensors,
    true}, {"means", ValueKind::kTensors, true}, {"squares", ValueKind::kTensors, true}, {"step", ValueKind::kInteger,
    true}, {"learning_rate", ValueKind::kNumber, false}, {"beta1", ValueKind::kNumber, false}, {"beta2",
    ValueKind::kNumber, false}, {"epsilon", ValueKind::kNumber, false}, {"weight_decay", ValueKind::kNumber, false},
    {"decoupled", ValueKind::kBool, false}};
constexpr Argument kOfAdamUpdate1[] = {{"parameters", ValueKind::kTensors, true}, {"gradients", ValueKind::kTensors,
    true}, {"means", ValueKind::kTensors, true}, {"squares", ValueKind::kTensors, true}, {"numbers",
    ValueKind::kTensors, true}, {"learning_rate", ValueKind::kNumber, false}, {"beta1", ValueKind::kNumber, false},
    {"beta2", ValueKind::kNumber, false}, {"epsilon", ValueKind::kNumber, false}, {"weight_decay", ValueKind::kNumber,
    false}, {"decoupled", ValueKind::kBool, false}};
constexpr Argument kOfAdaptiveAvgPool1d[] = {{"x", ValueKind::kTensor, true}, {"size", ValueKind::kInteger, true}};
constexpr Argument kOfAdaptiveAvgPool2d[] = {{"x", ValueKind::kTensor, true}, {"size", ValueKind::kIntegers, true}};
constexpr Argument kOfAdd[] = {{"a", ValueKind::kOperand, true}, {"b", ValueKind::kOperand, true}};
constexpr Argument kOfAddOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kOperand, true}, {"b",
    ValueKind::kOperand, true}};
constexpr Argument kOfAddmm[] = {{"c", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}, {"b",
    ValueKind::kTensor, true}, {"alpha", ValueKind::kScalar, false}, {"beta", ValueKind::kScalar, false}};
constexpr Argument kOfAll[] = {{"a", ValueKind::kTensor, true}, {"axes", ValueKind::kIntegers, false}, {"keep",
    ValueKind::kBool, false}};
constexpr Argument kOfArange[] = {{"start", ValueKind::kScalar, true}, {"end", ValueKind::kScalar, true}, {"step",
    ValueKind::kScalar, false}, {"dtype", ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfArgsort[] = {{"a", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, false},
    {"descending", ValueKind::kBool, false}};
constexpr Argument kOfAvgPool1d[] = {{"x", ValueKind::kTensor, true}, {"kernel", ValueKind::kInteger, true},
    {"stride", ValueKind::kInteger, false}, {"padding", ValueKind::kInteger, false}, {"ceil", ValueKind::kBool,
    false}, {"counts_padding", ValueKind::kBool, false}};
constexpr Argument kOfAvgPool2d[] = {{"x", ValueKind::kTensor, true}, {"kernel", ValueKind::kIntegers, true},
    {"stride", ValueKind::kIntegers, false}, {"padding", ValueKind::kIntegers, false}, {"ceil", ValueKind::kBool,
    false}, {"counts_padding", ValueKind::kBool, false}};
constexpr Argument kOfBatchNorm[] = {{"input", ValueKind::kTensor, true}, {"running_mean", ValueKind::kTensor, false},
    {"running_var", ValueKind::kTensor, false}, {"weight", ValueKind::kTensor, false}, {"bias", ValueKind::kTensor,
    false}, {"training", ValueKind::kBool, false}, {"momentum", ValueKind::kNumber, false}, {"epsilon",
    ValueKind::kNumber, false}};
constexpr Argument kOfBernoulli[] = {{"p", ValueKind::kNumber, true}, {"shape", ValueKind::kIntegers, true},
    {"device", ValueKind::kDevice, false}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfBinaryCrossEntropyWithLogits[] = {{"input", ValueKind::kTensor, true}, {"target",
    ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, false}, {"positive_weight", ValueKind::kTensor, false},
    {"reduction", ValueKind::kWord, false, kLossReductionWords}};
constexpr Argument kOfCheckWritable[] = {{"operation", ValueKind::kText, true}, {"tensor", ValueKind::kTensor, true},
    {"name", ValueKind::kText, true}};
constexpr Argument kOfChunk[] = {{"tensor", ValueKind::kTensor, true}, {"count", ValueKind::kInteger, true}, {"dim",
    ValueKind::kInteger, false}};
constexpr Argument kOfClamp[] = {{"a", ValueKind::kTensor, true}, {"low", ValueKind::kScalar, false}, {"high",
    ValueKind::kScalar, false}};
constexpr Argument kOfClampOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}, {"low",
    ValueKind::kScalar, false}, {"high", ValueKind::kScalar, false}};
constexpr Argument kOfClipByNorm[] = {{"gradients", ValueKind::kTensors, true}, {"most", ValueKind::kNumber, true}};
constexpr Argument kOfClipByNorm1[] = {{"gradients", ValueKind::kTensors, true}, {"most", ValueKind::kTensor, true}};
constexpr Argument kOfClipByValue[] = {{"gradients", ValueKind::kTensors, true}, {"limit", ValueKind::kNumber, true}};
constexpr Argument kOfComplex[] = {{"real", ValueKind::kTensor, true}, {"imag", ValueKind::kTensor, true}};
constexpr Argument kOfConcat[] = {{"tensors", ValueKind::kTensors, true}, {"dim", ValueKind::kInteger, false}};
constexpr Argument kOfConcatOut[] = {{"out", ValueKind::kTensor, true}, {"tensors", ValueKind::kTensors, true},
    {"dim", ValueKind::kInteger, false}};
constexpr Argument kOfConv1d[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true}, {"bias",
    ValueKind::kTensor, false}, {"stride", ValueKind::kInteger, false}, {"padding", ValueKind::kInteger, false},
    {"dilation", ValueKind::kInteger, false}, {"groups", ValueKind::kInteger, false}};
constexpr Argument kOfConv2d[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true}, {"bias",
    ValueKind::kTensor, false}, {"stride", ValueKind::kIntegers, false}, {"padding", ValueKind::kIntegers, false},
    {"dilation", ValueKind::kIntegers, false}, {"groups", ValueKind::kInteger, false}};
constexpr Argument kOfConvTranspose1d[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true},
    {"bias", ValueKind::kTensor, false}, {"stride", ValueKind::kInteger, false}, {"padding", ValueKind::kInteger,
    false}, {"output_padding", ValueKind::kInteger, false}, {"groups", ValueKind::kInteger, false}, {"dilation",
    ValueKind::kInteger, false}};
constexpr Argument kOfConvTranspose2d[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true},
    {"bias", ValueKind::kTensor, false}, {"stride", ValueKind::kIntegers, false}, {"padding", ValueKind::kIntegers,
    false}, {"output_padding", ValueKind::kIntegers, false}, {"groups", ValueKind::kInteger, false}, {"dilation",
    ValueKind::kIntegers, false}};
constexpr Argument kOfCrossEntropy[] = {{"input", ValueKind::kTensor, true}, {"target", ValueKind::kTensor, true},
    {"weight", ValueKind::kTensor, false}, {"ignored_index", ValueKind::kInteger, false}, {"label_smoothing",
    ValueKind::kNumber, false}, {"reduction", ValueKind::kWord, false, kLossReductionWords}};
constexpr Argument kOfCumsum[] = {{"a", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true}, {"reverse",
    ValueKind::kBool, false}};
constexpr Argument kOfDropout[] = {{"a", ValueKind::kTensor, true}, {"p", ValueKind::kNumber, false}, {"training",
    ValueKind::kBool, false}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfElu[] = {{"a", ValueKind::kOperand, true}, {"b", ValueKind::kOperand, false}};
constexpr Argument kOfEluOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kOperand, true}, {"b",
    ValueKind::kOperand, false}};
constexpr Argument kOfEmbedding[] = {{"weight", ValueKind::kTensor, true}, {"index", ValueKind::kTensor, true}};
constexpr Argument kOfEmpty[] = {{"shape", ValueKind::kIntegers, true}, {"dtype", ValueKind::kDtype, false},
    {"device", ValueKind::kDevice, false}};
constexpr Argument kOfEmptyLike[] = {{"like", ValueKind::kTensor, true}};
constexpr Argument kOfEye[] = {{"rows", ValueKind::kInteger, true}, {"dtype", ValueKind::kDtype, false}, {"device",
    ValueKind::kDevice, false}};
constexpr Argument kOfEye1[] = {{"rows", ValueKind::kInteger, true}, {"columns", ValueKind::kInteger, true}, {"dtype",
    ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfFftConvolve[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true}, {"part",
    ValueKind::kWord, false, kConvolvePartWords}};
constexpr Argument kOfFftFft[] = {{"x", ValueKind::kTensor, true}, {"n", ValueKind::kInteger, false}, {"dim",
    ValueKind::kInteger, false}, {"norm", ValueKind::kWord, false, kFftNormWords}};
constexpr Argument kOfFftFftfreq[] = {{"n", ValueKind::kInteger, true}, {"spacing", ValueKind::kNumber, false},
    {"dtype", ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfFftFftn[] = {{"x", ValueKind::kTensor, true}, {"sizes", ValueKind::kIntegers, false}, {"dims",
    ValueKind::kIntegers, false}, {"norm", ValueKind::kWord, false, kFftNormWords}};
constexpr Argument kOfFftFftshift[] = {{"x", ValueKind::kTensor, true}, {"dims", ValueKind::kIntegers, false}};
constexpr Argument kOfFftHannWindow[] = {{"n", ValueKind::kInteger, true}, {"periodic", ValueKind::kBool, false},
    {"dtype", ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfFftIstft[] = {{"x", ValueKind::kTensor, true}, {"n", ValueKind::kInteger, true}, {"hop_length",
    ValueKind::kInteger, false}, {"window", ValueKind::kTensor, false}, {"center", ValueKind::kBool, false},
    {"normalized", ValueKind::kBool, false}, {"onesided", ValueKind::kBool, false}, {"length", ValueKind::kInteger,
    false}};
constexpr Argument kOfFillBernoulli[] = {{"out", ValueKind::kTensor, true}, {"p", ValueKind::kNumber, true},
    {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfFillIntegers[] = {{"out", ValueKind::kTensor, true}, {"low", ValueKind::kInteger, true},
    {"high", ValueKind::kInteger, true}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfFillNormal[] = {{"out", ValueKind::kTensor, true}, {"mean", ValueKind::kNumber, false},
    {"deviation", ValueKind::kNumber, false}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfFillUniform[] = {{"out", ValueKind::kTensor, true}, {"low", ValueKind::kNumber, false}, {"high",
    ValueKind::kNumber, false}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfFull[] = {{"shape", ValueKind::kIntegers, true}, {"value", ValueKind::kScalar, true}, {"dtype",
    ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfFullLike[] = {{"like", ValueKind::kTensor, true}, {"value", ValueKind::kScalar, true}};
constexpr Argument kOfGather[] = {{"a", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true}, {"index",
    ValueKind::kTensor, true}};
constexpr Argument kOfGatherOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}, {"dim",
    ValueKind::kInteger, true}, {"index", ValueKind::kTensor, true}};
constexpr Argument kOfGradients[] = {{"outputs", ValueKind::kTensors, true}, {"inputs", ValueKind::kTensors, true},
    {"output_gradients", ValueKind::kTensors, false}, {"retain_graph", ValueKind::kBool, false}, {"create_graph",
    ValueKind::kBool, false}};
constexpr Argument kOfGroupNorm[] = {{"input", ValueKind::kTensor, true}, {"num_groups", ValueKind::kInteger, true},
    {"weight", ValueKind::kTensor, false}, {"bias", ValueKind::kTensor, false}, {"epsilon", ValueKind::kNumber,
    false}};
constexpr Argument kOfGru[] = {{"input", ValueKind::kTensor, true}, {"layers", ValueKind::kTensors, true}, {"state",
    ValueKind::kTensor, false}};
constexpr Argument kOfGruCell[] = {{"input", ValueKind::kTensor, true}, {"hidden", ValueKind::kTensor, true},
    {"input_weight", ValueKind::kTensor, true}, {"hidden_weight", ValueKind::kTensor, true}, {"input_bias",
    ValueKind::kTensor, false}, {"hidden_bias", ValueKind::kTensor, false}};
constexpr Argument kOfHuberLoss[] = {{"input", ValueKind::kTensor, true}, {"target", ValueKind::kTensor, true},
    {"delta", ValueKind::kNumber, false}, {"reduction", ValueKind::kWord, false, kLossReductionWords}};
constexpr Argument kOfIndexAdd[] = {{"a", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true}, {"index",
    ValueKind::kTensor, true}, {"source", ValueKind::kTensor, true}};
constexpr Argument kOfIndexAddOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}, {"dim",
    ValueKind::kInteger, true}, {"index", ValueKind::kTensor, true}, {"source", ValueKind::kTensor, true}};
constexpr Argument kOfL1Loss[] = {{"input", ValueKind::kTensor, true}, {"target", ValueKind::kTensor, true},
    {"reduction", ValueKind::kWord, false, kLossReductionWords}};
constexpr Argument kOfLayerNorm[] = {{"input", ValueKind::kTensor, true}, {"normalized_shape", ValueKind::kIntegers,
    true}, {"weight", ValueKind::kTensor, false}, {"bias", ValueKind::kTensor, false}, {"epsilon", ValueKind::kNumber,
    false}};
constexpr Argument kOfLinalgCholesky[] = {{"x", ValueKind::kTensor, true}, {"upper", ValueKind::kBool, false}};
constexpr Argument kOfLinalgCholeskySolve[] = {{"b", ValueKind::kTensor, true}, {"factor", ValueKind::kTensor, true},
    {"upper", ValueKind::kBool, false}};
constexpr Argument kOfLinalgCond[] = {{"x", ValueKind::kTensor, true}};
constexpr Argument kOfLinalgCross[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true}, {"dim",
    ValueKind::kInteger, false}};
constexpr Argument kOfLinalgDiagonal[] = {{"x", ValueKind::kTensor, true}, {"offset", ValueKind::kInteger, false}};
constexpr Argument kOfLinalgLstsq[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true}, {"rtol",
    ValueKind::kNumber, false}};
constexpr Argument kOfLinalgLuSolve[] = {{"lu", ValueKind::kTensor, true}, {"permutation", ValueKind::kTensor, true},
    {"b", ValueKind::kTensor, true}, {"adjoint", ValueKind::kBool, false}};
constexpr Argument kOfLinalgMatrixNorm[] = {{"x", ValueKind::kTensor, true}, {"order", ValueKind::kWord, false,
    kMatrixNormWords}, {"keepdim", ValueKind::kBool, false}};
constexpr Argument kOfLinalgMatrixPower[] = {{"x", ValueKind::kTensor, true}, {"n", ValueKind::kInteger, true}};
constexpr Argument kOfLinalgMatrixRank[] = {{"x", ValueKind::kTensor, true}, {"rtol", ValueKind::kNumber, false}};
constexpr Argument kOfLinalgMultiDot[] = {{"matrices", ValueKind::kTensors, true}};
constexpr Argument kOfLinalgOuter[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true}};
constexpr Argument kOfLinalgQr[] = {{"x", ValueKind::kTensor, true}, {"mode", ValueKind::kWord, false, kQrModeWords}};
constexpr Argument kOfLinalgSolveTriangular[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true},
    {"upper", ValueKind::kBool, false}, {"unit", ValueKind::kBool, false}};
constexpr Argument kOfLinalgSvd[] = {{"x", ValueKind::kTensor, true}, {"full_matrices", ValueKind::kBool, false}};
constexpr Argument kOfLinalgTensordot[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true},
    {"num_axes", ValueKind::kInteger, false}};
constexpr Argument kOfLinalgTensordot1[] = {{"a", ValueKind::kTensor, true}, {"b", ValueKind::kTensor, true},
    {"a_axes", ValueKind::kIntegers, true}, {"b_axes", ValueKind::kIntegers, true}};
constexpr Argument kOfLinalgVectorNorm[] = {{"x", ValueKind::kTensor, true}, {"order", ValueKind::kNumber, false},
    {"axes", ValueKind::kIntegers, false}, {"keepdim", ValueKind::kBool, false}};
constexpr Argument kOfLinear[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true}, {"bias",
    ValueKind::kTensor, false}};
constexpr Argument kOfLinear1[] = {{"x", ValueKind::kTensor, true}, {"weight", ValueKind::kTensor, true}, {"bias",
    ValueKind::kTensor, true}, {"activation", ValueKind::kWord, true, kActivationWords}};
constexpr Argument kOfLinspace[] = {{"start", ValueKind::kNumber, true}, {"end", ValueKind::kNumber, true}, {"count",
    ValueKind::kInteger, true}, {"dtype", ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false}};
constexpr Argument kOfLogSoftmax[] = {{"a", ValueKind::kTensor, true}, {"dim", ValueKind::kInteger, true}};
constexpr Argument kOfLstm[] = {{"input", ValueKind::kTensor, true}, {"layers", ValueKind::kTensors, true}, {"hidden",
    ValueKind::kTensor, false}, {"cell", ValueKind::kTensor, false}};
constexpr Argument kOfLstmCell[] = {{"input", ValueKind::kTensor, true}, {"hidden", ValueKind::kTensor, true},
    {"cell", ValueKind::kTensor, true}, {"input_weight", ValueKind::kTensor, true}, {"hidden_weight",
    ValueKind::kTensor, true}, {"input_bias", ValueKind::kTensor, false}, {"hidden_bias", ValueKind::kTensor, false}};
constexpr Argument kOfMaskedFill[] = {{"a", ValueKind::kTensor, true}, {"mask", ValueKind::kTensor, true}, {"value",
    ValueKind::kScalar, true}};
constexpr Argument kOfMatmulOut[] = {{"out", ValueKind::kTensor, true}, {"a", ValueKind::kTensor, true}, {"b",
    ValueKind::kTensor, true}, {"alpha", ValueKind::kScalar, false}, {"beta", ValueKind::kScalar, false}};
constexpr Argument kOfMaxPool1d[] = {{"x", ValueKind::kTensor, true}, {"kernel", ValueKind::kInteger, true},
    {"stride", ValueKind::kInteger, false}, {"padding", ValueKind::kInteger, false}, {"dilation", ValueKind::kInteger,
    false}, {"ceil", ValueKind::kBool, false}};
constexpr Argument kOfMaxPool2d[] = {{"x", ValueKind::kTensor, true}, {"kernel", ValueKind::kIntegers, true},
    {"stride", ValueKind::kIntegers, false}, {"padding", ValueKind::kIntegers, false}, {"dilation",
    ValueKind::kIntegers, false}, {"ceil", ValueKind::kBool, false}};
constexpr Argument kOfNllLoss[] = {{"input", ValueKind::kTensor, true}, {"target", ValueKind::kTensor, true},
    {"weight", ValueKind::kTensor, false}, {"ignored_index", ValueKind::kInteger, false}, {"reduction",
    ValueKind::kWord, false, kLossReductionWords}};
constexpr Argument kOfNorm[] = {{"a", ValueKind::kTensor, true}, {"order", ValueKind::kNumber, false}, {"axes",
    ValueKind::kIntegers, false}, {"keep", ValueKind::kBool, false}};
constexpr Argument kOfOneHot[] = {{"index", ValueKind::kTensor, true}, {"num_classes", ValueKind::kInteger, true}};
constexpr Argument kOfPad[] = {{"a", ValueKind::kTensor, true}, {"padding", ValueKind::kIntegers, true}, {"value",
    ValueKind::kScalar, false}};
constexpr Argument kOfRand[] = {{"shape", ValueKind::kIntegers, true}, {"dtype", ValueKind::kDtype, false}, {"device",
    ValueKind::kDevice, false}, {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfRandint[] = {{"low", ValueKind::kInteger, true}, {"high", ValueKind::kInteger, true}, {"shape",
    ValueKind::kIntegers, true}, {"dtype", ValueKind::kDtype, false}, {"device", ValueKind::kDevice, false},
    {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfRandperm[] = {{"n", ValueKind::kInteger, true}, {"device", ValueKind::kDevice, false},
    {"generator", ValueKind::kGenerator, false}};
constexpr Argument kOfRemoveAccumulationHook[] = {{"leaf", ValueKind::kTensor, true}, {"number", ValueKind::kInteger,
    true}};
constexpr Argument kOfRmsNorm[] = {{"input", ValueKind::kTensor, true}, {"normalized_shape", ValueKind::kIntegers,
    true}, {"weight", ValueKind::kTensor, false}, {"epsilon", ValueKind::kNumber, false}};
constexpr Argument kOfRotaryEmbedding[] = {{"input", ValueKind::kTensor, true}, {"positions", ValueKind::kTensor,
    false}, {"offset", ValueKind::kInteger, false}, {"base", ValueKind::kNumber, false}, {"is_interleaved",
    ValueKind::kBool, false}};
constexpr Argument kOfScaledDotProductAttention[] = {{"query", ValueKind::kTensor, true}, {"key", ValueKind::kTensor,
    true}, {"value", ValueKind::kTensor, true}, {"mask", ValueKind::kTensor, false}, {"is_causal", ValueKind::kBool,
    false}, {"scale", ValueKind::kNumber, false}, {"dropout", ValueKind::kNumber, false}, {"generator",
    ValueKind::kGenerator, false}, {"grouped_heads", ValueKind::kBool, false}};
constexpr Argument kOfSgdUpdate[] = {{"parameters", ValueKind::kTensors, true}, {"gradients", ValueKind::kTensors,
    true}, {"velocities", ValueKind::kTensors, true}, {"step", ValueKind::kInteger, true}, {"learning_rate",
    ValueKind::kNumber, false}, {"momentum", ValueKind::kNumber, false}, {"dampening", ValueKind::kNumber, false},
    {"weight_decay", ValueKind::kNumber, false}, {"nesterov", ValueKind::kBool, false}};
constexpr Argument kOfSgdUpdate1[] = {{"parameters", ValueKind::kTensors, true}, {"gradients", ValueKind::kTensors,
    true}, {"velocities", ValueKind::kTensors, true}, {"numbers", ValueKind::kTensors, true}, {"learning_rate",
    ValueKind::kNumber, false}, {"momentum", ValueKind::kNumber, false}, {"dampening", ValueKind::kNumber, false},
    {"weight_decay", ValueKind::kNumber, false}, {"nesterov", ValueKind::kBool, false}};
constexpr Argument kOfSplit[] = {{"tensor", ValueKind::kTensor, true}, {"size", ValueKind::kInteger, true}, {"dim",
    ValueKind::kInteger, false}};
constexpr Argument kOfSplit1[] = {{"tensor", ValueKind::kTensor, true}, {"sizes", ValueKind::kIntegers, true}, {"dim",
    ValueKind::kInteger, false}};
constexpr Argument kOfStddev[] = {{"a", ValueKind::kTensor, true}, {"axes", ValueKind::kIntegers, false},
    {"correction", ValueKind::kInteger, false}, {"keep", ValueKind::kBool, false}};
constexpr Argument kOfTopk[] = {{"a", ValueKind::kTensor, true}, {"k", ValueKind::kInteger, true}, {"dim",
    ValueKind::kInteger, false}, {"largest", ValueKind::kBool, false}};
constexpr Argument kOfTril[] = {{"a", ValueKind::kTensor, true}, {"diagonal", ValueKind::kInteger, false}};
constexpr Argument kOfWhere[] = {{"condition", ValueKind::kTensor, true}, {"a", ValueKind::kOperand, true}, {"b",
    ValueKind::kOperand, true}};
constexpr Argument kOfWhereOut[] = {{"out", ValueKind::kTensor, true}, {"condition", ValueKind::kTensor, true}, {"a",
    ValueKind::kOperand, true}, {"b", ValueKind::kOperand, true}};

constexpr Signature kSignatures[] = {
    {"Tensor.cast", kOfTensorCast, [](const Arguments& in) -> Results { return
        one(in.tensor(0).cast(in.get<DType>(1))); }},
    {"Tensor.clone", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).clone()); }},
    {"Tensor.contiguous", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).contiguous());
        }},
    {"Tensor.copy_from", kOfTensorCopyFrom, [](const Arguments& in) -> Results { return
        one(in.tensor(0).copy_from(in.tensor(1), in.get<bool>(2, false))); }},
    {"Tensor.detach", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).detach()); }},
    {"Tensor.diagonal", kOfTensorDiagonal, [](const Arguments& in) -> Results { return
        one(in.tensor(0).diagonal(in.get<Index>(1, 0), in.get<Dim>(2, -2), in.get<Dim>(3, -1))); }},
    {"Tensor.expand", kOfTensorExpand, [](const Arguments& in) -> Results { return
        one(in.tensor(0).expand(in.get<Shape>(1))); }},
    {"Tensor.fill_", kOfTensorFill, [](const Arguments& in) -> Results { return
        one(in.tensor(0).fill_(in.get<Scalar>(1))); }},
    {"Tensor.grad", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).grad()); }},
    {"Tensor.new_empty", kOfTensorNewEmpty, [](const Arguments& in) -> Results { return
        one(in.tensor(0).new_empty(in.get<Shape>(1), in.get<std::optional<DType>>(2, {}))); }},
    {"Tensor.new_full", kOfTensorNewFull, [](const Arguments& in) -> Results { return
        one(in.tensor(0).new_full(in.get<Shape>(1), in.get<Scalar>(2), in.get<std::optional<DType>>(3, {}))); }},
    {"Tensor.new_ones", kOfTensorNewEmpty, [](const Arguments& in) -> Results { return
        one(in.tensor(0).new_ones(in.get<Shape>(1), in.get<std::optional<DType>>(2, {}))); }},
    {"Tensor.new_zeros", kOfTensorNewEmpty, [](const Arguments& in) -> Results { return
        one(in.tensor(0).new_zeros(in.get<Shape>(1), in.get<std::optional<DType>>(2, {}))); }},
    {"Tensor.permute", kOfTensorPermute, [](const Arguments& in) -> Results { return
        one(in.tensor(0).permute(in.get<std::vector<std::int64_t>>(1))); }},
    {"Tensor.requires_grad_", kOfTensorRequiresGrad, [](const Arguments& in) -> Results { return
        one(in.tensor(0).requires_grad_(in.get<bool>(1, true))); }},
    {"Tensor.reshape", kOfTensorExpand, [](const Arguments& in) -> Results { return
        one(in.tensor(0).reshape(in.get<Shape>(1))); }},
    {"Tensor.select", kOfTensorSelect, [](const Arguments& in) -> Results { return
        one(in.tensor(0).select(in.get<Dim>(1), in.get<Index>(2))); }},
    {"Tensor.set_grad", kOfTensorSetGrad, [](const Arguments& in) -> Results { return
        one(in.tensor(0).set_grad(in.tensor(1))); }},
    {"Tensor.slice", kOfTensorSlice, [](const Arguments& in) -> Results { return
        one(in.tensor(0).slice(in.get<Dim>(1), in.get<Index>(2), in.get<Index>(3, INT64_MAX), in.get<Index>(4, 1)));
        }},
    {"Tensor.squeeze", kOfTensorSqueeze, [](const Arguments& in) -> Results { return
        one(in.tensor(0).squeeze(in.get<Dim>(1))); }},
    {"Tensor.t", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).t()); }},
    {"Tensor.to", kOfTensorTo, [](const Arguments& in) -> Results { ToOptions s0{}; in.set(2, s0.copy); in.set(3,
        s0.non_blocking); return one(in.tensor(0).to(in.get<Device>(1), s0)); }},
    {"Tensor.transpose", kOfTensorTranspose, [](const Arguments& in) -> Results { return
        one(in.tensor(0).transpose(in.get<Dim>(1), in.get<Dim>(2))); }},
    {"Tensor.unsqueeze", kOfTensorSqueeze, [](const Arguments& in) -> Results { return
        one(in.tensor(0).unsqueeze(in.get<Dim>(1))); }},
    {"Tensor.view", kOfTensorExpand, [](const Arguments& in) -> Results { return
        one(in.tensor(0).view(in.get<Shape>(1))); }},
    {"Tensor.zero_", kOfTensorClone, [](const Arguments& in) -> Results { return one(in.tensor(0).zero_()); }},
    {"abs", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::abs(in.tensor(0))); }},
    {"abs_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::abs_out(in.tensor(0),
        in.tensor(1))); }},
    {"adam_update", kOfAdamUpdate, [](const Arguments& in) -> Results { AdamOptions s0{}; in.set(5, s0.learning_rate);
        in.set(6, s0.beta1); in.set(7, s0.beta2); in.set(8, s0.epsilon); in.set(9, s0.weight_decay); in.set(10,
        s0.decoupled); patchbay::adam_update(in.tensors(0), in.tensors(1), in.tensors(2), in.tensors(3),
        in.get<std::int64_t>(4), s0); return {}; }},
    {"adam_update", kOfAdamUpdate1, [](const Arguments& in) -> Results { AdamOptions s0{}; in.set(5,
        s0.learning_rate); in.set(6, s0.beta1); in.set(7, s0.beta2); in.set(8, s0.epsilon); in.set(9,
        s0.weight_decay); in.set(10, s0.decoupled); patchbay::adam_update(in.tensors(0), in.tensors(1), in.tensors(2),
        in.tensors(3), in.structs<patchbay::UpdateNumbers>(4, {&patchbay::UpdateNumbers::step,
        &patchbay::UpdateNumbers::learning_rate, &patchbay::UpdateNumbers::applies}), s0); return {}; }},
    {"adaptive_avg_pool1d", kOfAdaptiveAvgPool1d, [](const Arguments& in) -> Results { return
        one(patchbay::adaptive_avg_pool1d(in.tensor(0), in.get<Index>(1))); }},
    {"adaptive_avg_pool2d", kOfAdaptiveAvgPool2d, [](const Arguments& in) -> Results { return
        one(patchbay::adaptive_avg_pool2d(in.tensor(0), in.get<Pair>(1))); }},
    {"adaptive_max_pool1d", kOfAdaptiveAvgPool1d, [](const Arguments& in) -> Results { return
        one(patchbay::adaptive_max_pool1d(in.tensor(0), in.get<Index>(1))); }},
    {"adaptive_max_pool2d", kOfAdaptiveAvgPool2d, [](const Arguments& in) -> Results { return
        one(patchbay::adaptive_max_pool2d(in.tensor(0), in.get<Pair>(1))); }},
    {"add", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::add(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::add(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::add(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"add_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::add_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::add_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::add_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"addmm", kOfAddmm, [](const Arguments& in) -> Results { return one(patchbay::addmm(in.tensor(0), in.tensor(1),
        in.tensor(2), in.get<Scalar>(3, 1), in.get<Scalar>(4, 1))); }},
    {"all", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::all(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"angle", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::angle(in.tensor(0))); }},
    {"any", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::any(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"arange", kOfArange, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(3, s0.dtype); in.set(4,
        s0.device); return one(patchbay::arange(in.get<Scalar>(0), in.get<Scalar>(1), in.get<Scalar>(2, 1), s0)); }},
    {"argmax", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::argmax(in.tensor(0), in.get<Axes>(1,
        {}), in.get<bool>(2, false))); }},
    {"argmin", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::argmin(in.tensor(0), in.get<Axes>(1,
        {}), in.get<bool>(2, false))); }},
    {"argsort", kOfArgsort, [](const Arguments& in) -> Results { return one(patchbay::argsort(in.tensor(0),
        in.get<Dim>(1, -1), in.get<bool>(2, false))); }},
    {"atan2", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::atan2(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::atan2(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::atan2(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"atan2_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::atan2_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2))
        { return one(patchbay::atan2_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::atan2_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"avg_pool1d", kOfAvgPool1d, [](const Arguments& in) -> Results { AvgPool1dOptions s0{}; in.set(2, s0.stride);
        in.set(3, s0.padding); in.set(4, s0.ceil); in.set(5, s0.counts_padding); return
        one(patchbay::avg_pool1d(in.tensor(0), in.get<Index>(1), s0)); }},
    {"avg_pool2d", kOfAvgPool2d, [](const Arguments& in) -> Results { AvgPool2dOptions s0{}; in.set(2, s0.stride);
        in.set(3, s0.padding); in.set(4, s0.ceil); in.set(5, s0.counts_padding); return
        one(patchbay::avg_pool2d(in.tensor(0), in.get<Pair>(1), s0)); }},
    {"batch_norm", kOfBatchNorm, [](const Arguments& in) -> Results { BatchNormOptions s0{}; in.set(1,
        s0.running_mean); in.set(2, s0.running_var); in.set(3, s0.weight); in.set(4, s0.bias); in.set(5, s0.training);
        in.set(6, s0.momentum); in.set(7, s0.epsilon); return one(patchbay::batch_norm(in.tensor(0), s0)); }},
    {"bernoulli", kOfBernoulli, [](const Arguments& in) -> Results { return one(patchbay::bernoulli(in.get<double>(0),
        in.get<Shape>(1), in.has(2) ? in.get<Device>(2) : default_device(), in.get<std::optional<Generator>>(3, {})));
        }},
    {"binary_cross_entropy_with_logits", kOfBinaryCrossEntropyWithLogits, [](const Arguments& in) -> Results {
        BinaryCrossEntropyOptions s0{}; in.set(2, s0.weight); in.set(3, s0.positive_weight); in.set(4, s0.reduction);
        return one(patchbay::binary_cross_entropy_with_logits(in.tensor(0), in.tensor(1), s0)); }},
    {"ceil", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::ceil(in.tensor(0))); }},
    {"ceil_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::ceil_out(in.tensor(0),
        in.tensor(1))); }},
    {"check_writable", kOfCheckWritable, [](const Arguments& in) -> Results { patchbay::check_writable(in.get<const
        char*>(0), in.tensor(1), in.get<std::string_view>(2)); return {}; }},
    {"chunk", kOfChunk, [](const Arguments& in) -> Results { return patchbay::chunk(in.tensor(0),
        in.get<std::int64_t>(1), in.get<Dim>(2, 0)); }},
    {"clamp", kOfClamp, [](const Arguments& in) -> Results { return one(patchbay::clamp(in.tensor(0),
        in.get<std::optional<Scalar>>(1, {}), in.get<std::optional<Scalar>>(2, {}))); }},
    {"clamp_out", kOfClampOut, [](const Arguments& in) -> Results { return one(patchbay::clamp_out(in.tensor(0),
        in.tensor(1), in.get<std::optional<Scalar>>(2, {}), in.get<std::optional<Scalar>>(3, {}))); }},
    {"clip_by_norm", kOfClipByNorm, [](const Arguments& in) -> Results { return
        one(patchbay::clip_by_norm(in.tensors(0), in.get<double>(1))); }},
    {"clip_by_norm", kOfClipByNorm1, [](const Arguments& in) -> Results { return
        one(patchbay::clip_by_norm(in.tensors(0), in.tensor(1))); }},
    {"clip_by_value", kOfClipByValue, [](const Arguments& in) -> Results { patchbay::clip_by_value(in.tensors(0),
        in.get<double>(1)); return {}; }},
    {"complex", kOfComplex, [](const Arguments& in) -> Results { return one(patchbay::complex(in.tensor(0),
        in.tensor(1))); }},
    {"concat", kOfConcat, [](const Arguments& in) -> Results { return one(patchbay::concat(in.tensors(0),
        in.get<Dim>(1, 0))); }},
    {"concat_out", kOfConcatOut, [](const Arguments& in) -> Results { return one(patchbay::concat_out(in.tensor(0),
        in.tensors(1), in.get<Dim>(2, 0))); }},
    {"conj", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::conj(in.tensor(0))); }},
    {"conv1d", kOfConv1d, [](const Arguments& in) -> Results { Conv1dOptions s0{}; in.set(3, s0.stride); in.set(4,
        s0.padding); in.set(5, s0.dilation); in.set(6, s0.groups); return one(patchbay::conv1d(in.tensor(0),
        in.tensor(1), in.tensor(2), s0)); }},
    {"conv2d", kOfConv2d, [](const Arguments& in) -> Results { Conv2dOptions s0{}; in.set(3, s0.stride); in.set(4,
        s0.padding); in.set(5, s0.dilation); in.set(6, s0.groups); return one(patchbay::conv2d(in.tensor(0),
        in.tensor(1), in.tensor(2), s0)); }},
    {"conv_transpose1d", kOfConvTranspose1d, [](const Arguments& in) -> Results { ConvTranspose1dOptions s0{};
        in.set(3, s0.stride); in.set(4, s0.padding); in.set(5, s0.output_padding); in.set(6, s0.groups); in.set(7,
        s0.dilation); return one(patchbay::conv_transpose1d(in.tensor(0), in.tensor(1), in.tensor(2), s0)); }},
    {"conv_transpose2d", kOfConvTranspose2d, [](const Arguments& in) -> Results { ConvTranspose2dOptions s0{};
        in.set(3, s0.stride); in.set(4, s0.padding); in.set(5, s0.output_padding); in.set(6, s0.groups); in.set(7,
        s0.dilation); return one(patchbay::conv_transpose2d(in.tensor(0), in.tensor(1), in.tensor(2), s0)); }},
    {"cos", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::cos(in.tensor(0))); }},
    {"cos_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::cos_out(in.tensor(0),
        in.tensor(1))); }},
    {"cross_entropy", kOfCrossEntropy, [](const Arguments& in) -> Results { CrossEntropyOptions s0{}; in.set(2,
        s0.weight); in.set(3, s0.ignored_index); in.set(4, s0.label_smoothing); in.set(5, s0.reduction); return
        one(patchbay::cross_entropy(in.tensor(0), in.tensor(1), s0)); }},
    {"cumsum", kOfCumsum, [](const Arguments& in) -> Results { return one(patchbay::cumsum(in.tensor(0),
        in.get<Dim>(1), in.get<bool>(2, false))); }},
    {"div", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::div(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::div(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::div(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"div_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::div_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::div_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::div_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"dropout", kOfDropout, [](const Arguments& in) -> Results { return one(patchbay::dropout(in.tensor(0),
        in.get<double>(1, 0.5), in.get<bool>(2, true), in.get<std::optional<Generator>>(3, {}))); }},
    {"dropout_mask", kOfBernoulli, [](const Arguments& in) -> Results { return
        one(patchbay::dropout_mask(in.get<double>(0), in.get<Shape>(1), in.has(2) ? in.get<Device>(2) :
        default_device(), in.get<std::optional<Generator>>(3, {}))); }},
    {"elu", kOfElu, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::elu(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::elu(in.tensor(0), in.get<Scalar>(1, 1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::elu(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"elu_out", kOfEluOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::elu_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (!in.is_tensor(1) && in.is_tensor(2)) {
        return one(patchbay::elu_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::elu_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2, 1))); }
        in.refuse_numbers(); }},
    {"embedding", kOfEmbedding, [](const Arguments& in) -> Results { return one(patchbay::embedding(in.tensor(0),
        in.tensor(1))); }},
    {"empty", kOfEmpty, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::empty(in.get<Shape>(0), s0)); }},
    {"empty_like", kOfEmptyLike, [](const Arguments& in) -> Results { return one(patchbay::empty_like(in.tensor(0)));
        }},
    {"eq", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::eq(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::eq(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::eq(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"eq_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::eq_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::eq_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::eq_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"erf", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::erf(in.tensor(0))); }},
    {"erf_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::erf_out(in.tensor(0),
        in.tensor(1))); }},
    {"exp", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::exp(in.tensor(0))); }},
    {"exp2", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::exp2(in.tensor(0))); }},
    {"exp2_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::exp2_out(in.tensor(0),
        in.tensor(1))); }},
    {"exp_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::exp_out(in.tensor(0),
        in.tensor(1))); }},
    {"expm1", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::expm1(in.tensor(0))); }},
    {"expm1_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::expm1_out(in.tensor(0),
        in.tensor(1))); }},
    {"eye", kOfEye, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::eye(in.get<Index>(0), s0)); }},
    {"eye", kOfEye1, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(2, s0.dtype); in.set(3,
        s0.device); return one(patchbay::eye(in.get<Index>(0), in.get<Index>(1), s0)); }},
    {"fft.convolve", kOfFftConvolve, [](const Arguments& in) -> Results { return
        one(patchbay::fft::convolve(in.tensor(0), in.tensor(1), in.get<ConvolvePart>(2, ConvolvePart::kFull))); }},
    {"fft.fft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::fft(in.tensor(0), s0)); }},
    {"fft.fftfreq", kOfFftFftfreq, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(2, s0.dtype);
        in.set(3, s0.device); return one(patchbay::fft::fftfreq(in.get<Index>(0), in.get<double>(1, 1), s0)); }},
    {"fft.fftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::fftn(in.tensor(0), s0)); }},
    {"fft.fftshift", kOfFftFftshift, [](const Arguments& in) -> Results { return
        one(patchbay::fft::fftshift(in.tensor(0), in.get<Axes>(1, {}))); }},
    {"fft.hann_window", kOfFftHannWindow, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(2,
        s0.dtype); in.set(3, s0.device); return one(patchbay::fft::hann_window(in.get<Index>(0), in.get<bool>(1,
        true), s0)); }},
    {"fft.hfft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::hfft(in.tensor(0), s0)); }},
    {"fft.hfftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::hfftn(in.tensor(0), s0)); }},
    {"fft.ifft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::ifft(in.tensor(0), s0)); }},
    {"fft.ifftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::ifftn(in.tensor(0), s0)); }},
    {"fft.ifftshift", kOfFftFftshift, [](const Arguments& in) -> Results { return
        one(patchbay::fft::ifftshift(in.tensor(0), in.get<Axes>(1, {}))); }},
    {"fft.ihfft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::ihfft(in.tensor(0), s0)); }},
    {"fft.ihfftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::ihfftn(in.tensor(0), s0)); }},
    {"fft.irfft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::irfft(in.tensor(0), s0)); }},
    {"fft.irfftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::irfftn(in.tensor(0), s0)); }},
    {"fft.istft", kOfFftIstft, [](const Arguments& in) -> Results { StftOptions s0{}; in.set(2, s0.hop_length);
        in.set(3, s0.window); in.set(4, s0.center); in.set(5, s0.normalized); in.set(6, s0.onesided); in.set(7,
        s0.length); return one(patchbay::fft::istft(in.tensor(0), in.get<Index>(1), s0)); }},
    {"fft.rfft", kOfFftFft, [](const Arguments& in) -> Results { FftOptions s0{}; in.set(1, s0.n); in.set(2, s0.dim);
        in.set(3, s0.norm); return one(patchbay::fft::rfft(in.tensor(0), s0)); }},
    {"fft.rfftfreq", kOfFftFftfreq, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(2, s0.dtype);
        in.set(3, s0.device); return one(patchbay::fft::rfftfreq(in.get<Index>(0), in.get<double>(1, 1), s0)); }},
    {"fft.rfftn", kOfFftFftn, [](const Arguments& in) -> Results { FftnOptions s0{}; in.set(1, s0.sizes); in.set(2,
        s0.dims); in.set(3, s0.norm); return one(patchbay::fft::rfftn(in.tensor(0), s0)); }},
    {"fft.stft", kOfFftIstft, [](const Arguments& in) -> Results { StftOptions s0{}; in.set(2, s0.hop_length);
        in.set(3, s0.window); in.set(4, s0.center); in.set(5, s0.normalized); in.set(6, s0.onesided); in.set(7,
        s0.length); return one(patchbay::fft::stft(in.tensor(0), in.get<Index>(1), s0)); }},
    {"fill_bernoulli", kOfFillBernoulli, [](const Arguments& in) -> Results { return
        one(patchbay::fill_bernoulli(in.tensor(0), in.get<double>(1), in.get<std::optional<Generator>>(2, {}))); }},
    {"fill_integers", kOfFillIntegers, [](const Arguments& in) -> Results { return
        one(patchbay::fill_integers(in.tensor(0), in.get<std::int64_t>(1), in.get<std::int64_t>(2),
        in.get<std::optional<Generator>>(3, {}))); }},
    {"fill_normal", kOfFillNormal, [](const Arguments& in) -> Results { return one(patchbay::fill_normal(in.tensor(0),
        in.get<double>(1, 0), in.get<double>(2, 1), in.get<std::optional<Generator>>(3, {}))); }},
    {"fill_uniform", kOfFillUniform, [](const Arguments& in) -> Results { return
        one(patchbay::fill_uniform(in.tensor(0), in.get<double>(1, 0), in.get<double>(2, 1),
        in.get<std::optional<Generator>>(3, {}))); }},
    {"floor", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::floor(in.tensor(0))); }},
    {"floor_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::floor_out(in.tensor(0),
        in.tensor(1))); }},
    {"full", kOfFull, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(2, s0.dtype); in.set(3,
        s0.device); return one(patchbay::full(in.get<Shape>(0), in.get<Scalar>(1), s0)); }},
    {"full_like", kOfFullLike, [](const Arguments& in) -> Results { return one(patchbay::full_like(in.tensor(0),
        in.get<Scalar>(1))); }},
    {"gather", kOfGather, [](const Arguments& in) -> Results { return one(patchbay::gather(in.tensor(0),
        in.get<Dim>(1), in.tensor(2))); }},
    {"gather_out", kOfGatherOut, [](const Arguments& in) -> Results { return one(patchbay::gather_out(in.tensor(0),
        in.tensor(1), in.get<Dim>(2), in.tensor(3))); }},
    {"ge", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::ge(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::ge(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::ge(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"ge_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::ge_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::ge_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::ge_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"gelu", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::gelu(in.tensor(0))); }},
    {"gelu_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::gelu_out(in.tensor(0),
        in.tensor(1))); }},
    {"gradients", kOfGradients, [](const Arguments& in) -> Results { BackwardOptions s0{}; in.set(3, s0.retain_graph);
        in.set(4, s0.create_graph); return patchbay::gradients(in.tensors(0), in.tensors(1), in.tensors(2), s0); }},
    {"group_norm", kOfGroupNorm, [](const Arguments& in) -> Results { return one(patchbay::group_norm(in.tensor(0),
        in.get<Index>(1), in.tensor(2), in.tensor(3), in.get<double>(4, 1e-5))); }},
    {"gru", kOfGru, [](const Arguments& in) -> Results { const auto made = patchbay::gru(in.tensor(0),
        in.structs<patchbay::RecurrentWeights>(1, {&patchbay::RecurrentWeights::input_weight,
        &patchbay::RecurrentWeights::hidden_weight, &patchbay::RecurrentWeights::input_bias,
        &patchbay::RecurrentWeights::hidden_bias}), in.tensor(2)); return {made.output, made.state}; }},
    {"gru_cell", kOfGruCell, [](const Arguments& in) -> Results { RecurrentWeights s0{}; in.set(2, s0.input_weight);
        in.set(3, s0.hidden_weight); in.set(4, s0.input_bias); in.set(5, s0.hidden_bias); return
        one(patchbay::gru_cell(in.tensor(0), in.tensor(1), s0)); }},
    {"gt", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::gt(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::gt(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::gt(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"gt_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::gt_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::gt_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::gt_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"huber_loss", kOfHuberLoss, [](const Arguments& in) -> Results { return one(patchbay::huber_loss(in.tensor(0),
        in.tensor(1), in.get<double>(2, 1), in.get<LossReduction>(3, LossReduction::kMean))); }},
    {"imag", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::imag(in.tensor(0))); }},
    {"index_add", kOfIndexAdd, [](const Arguments& in) -> Results { return one(patchbay::index_add(in.tensor(0),
        in.get<Dim>(1), in.tensor(2), in.tensor(3))); }},
    {"index_add_out", kOfIndexAddOut, [](const Arguments& in) -> Results { return
        one(patchbay::index_add_out(in.tensor(0), in.tensor(1), in.get<Dim>(2), in.tensor(3), in.tensor(4))); }},
    {"index_select", kOfGather, [](const Arguments& in) -> Results { return one(patchbay::index_select(in.tensor(0),
        in.get<Dim>(1), in.tensor(2))); }},
    {"index_select_out", kOfGatherOut, [](const Arguments& in) -> Results { return
        one(patchbay::index_select_out(in.tensor(0), in.tensor(1), in.get<Dim>(2), in.tensor(3))); }},
    {"isfinite", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::isfinite(in.tensor(0))); }},
    {"isfinite_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::isfinite_out(in.tensor(0),
        in.tensor(1))); }},
    {"isinf", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::isinf(in.tensor(0))); }},
    {"isinf_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::isinf_out(in.tensor(0),
        in.tensor(1))); }},
    {"isnan", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::isnan(in.tensor(0))); }},
    {"isnan_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::isnan_out(in.tensor(0),
        in.tensor(1))); }},
    {"l1_loss", kOfL1Loss, [](const Arguments& in) -> Results { return one(patchbay::l1_loss(in.tensor(0),
        in.tensor(1), in.get<LossReduction>(2, LossReduction::kMean))); }},
    {"layer_norm", kOfLayerNorm, [](const Arguments& in) -> Results { return one(patchbay::layer_norm(in.tensor(0),
        in.get<Shape>(1), in.tensor(2), in.tensor(3), in.get<double>(4, 1e-5))); }},
    {"le", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::le(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::le(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::le(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"le_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::le_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::le_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::le_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"leaky_relu", kOfElu, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::leaky_relu(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::leaky_relu(in.tensor(0), in.get<Scalar>(1, 0.01))); } if (!in.is_tensor(0) && in.is_tensor(1)) {
        return one(patchbay::leaky_relu(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"leaky_relu_out", kOfEluOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) {
        return one(patchbay::leaky_relu_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::leaky_relu_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); } if
        (in.is_tensor(1) && !in.is_tensor(2)) { return one(patchbay::leaky_relu_out(in.tensor(0), in.tensor(1),
        in.get<Scalar>(2, 0.01))); } in.refuse_numbers(); }},
    {"linalg.cholesky", kOfLinalgCholesky, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::cholesky(in.tensor(0), in.get<bool>(1, false))); }},
    {"linalg.cholesky_ex", kOfLinalgCholesky, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::cholesky_ex(in.tensor(0), in.get<bool>(1, false)); return {made.factor, made.info}; }},
    {"linalg.cholesky_solve", kOfLinalgCholeskySolve, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::cholesky_solve(in.tensor(0), in.tensor(1), in.get<bool>(2, false))); }},
    {"linalg.cond", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::cond(in.tensor(0))); }},
    {"linalg.cross", kOfLinalgCross, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::cross(in.tensor(0), in.tensor(1), in.get<Dim>(2, -1))); }},
    {"linalg.det", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::det(in.tensor(0))); }},
    {"linalg.diagonal", kOfLinalgDiagonal, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::diagonal(in.tensor(0), in.get<Index>(1, 0))); }},
    {"linalg.eig", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::eig(in.tensor(0)); return {made.eigenvalues, made.eigenvectors}; }},
    {"linalg.eig_ex", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::eig_ex(in.tensor(0)); return {made.eigenvalues, made.eigenvectors, made.info}; }},
    {"linalg.eigh", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::eigh(in.tensor(0)); return {made.eigenvalues, made.eigenvectors}; }},
    {"linalg.eigh_ex", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::eigh_ex(in.tensor(0)); return {made.eigenvalues, made.eigenvectors, made.info}; }},
    {"linalg.eigvals", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::eigvals(in.tensor(0))); }},
    {"linalg.eigvalsh", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::eigvalsh(in.tensor(0))); }},
    {"linalg.inv", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::inv(in.tensor(0))); }},
    {"linalg.inv_ex", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::inv_ex(in.tensor(0)); return {made.result, made.info}; }},
    {"linalg.lstsq", kOfLinalgLstsq, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::lstsq(in.tensor(0), in.tensor(1), in.get<std::optional<double>>(2, {}))); }},
    {"linalg.lu", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::lu(in.tensor(0)); return {made.p, made.l, made.u}; }},
    {"linalg.lu_factor", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::lu_factor(in.tensor(0)); return {made.lu, made.permutation}; }},
    {"linalg.lu_factor_ex", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::lu_factor_ex(in.tensor(0)); return {made.lu, made.permutation, made.info}; }},
    {"linalg.lu_solve", kOfLinalgLuSolve, [](const Arguments& in) -> Results { LuFactors s0{}; in.set(0, s0.lu);
        in.set(1, s0.permutation); return one(patchbay::linalg::lu_solve(s0, in.tensor(2), in.get<bool>(3, false)));
        }},
    {"linalg.matrix_exp", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::matrix_exp(in.tensor(0))); }},
    {"linalg.matrix_norm", kOfLinalgMatrixNorm, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::matrix_norm(in.tensor(0), in.get<MatrixNorm>(1, MatrixNorm::kFrobenius), in.get<bool>(2,
        false))); }},
    {"linalg.matrix_power", kOfLinalgMatrixPower, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::matrix_power(in.tensor(0), in.get<Index>(1))); }},
    {"linalg.matrix_rank", kOfLinalgMatrixRank, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::matrix_rank(in.tensor(0), in.get<std::optional<double>>(1, {}))); }},
    {"linalg.matrix_transpose", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::matrix_transpose(in.tensor(0))); }},
    {"linalg.multi_dot", kOfLinalgMultiDot, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::multi_dot(in.tensors(0))); }},
    {"linalg.outer", kOfLinalgOuter, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::outer(in.tensor(0), in.tensor(1))); }},
    {"linalg.pinv", kOfLinalgMatrixRank, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::pinv(in.tensor(0), in.get<std::optional<double>>(1, {}))); }},
    {"linalg.qr", kOfLinalgQr, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::qr(in.tensor(0), in.get<QrMode>(1, QrMode::kReduced)); return {made.q, made.r}; }},
    {"linalg.slogdet", kOfLinalgCond, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::slogdet(in.tensor(0)); return {made.sign, made.logabsdet}; }},
    {"linalg.solve", kOfLinalgOuter, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::solve(in.tensor(0), in.tensor(1))); }},
    {"linalg.solve_ex", kOfLinalgOuter, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::solve_ex(in.tensor(0), in.tensor(1)); return {made.result, made.info}; }},
    {"linalg.solve_triangular", kOfLinalgSolveTriangular, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::solve_triangular(in.tensor(0), in.tensor(1), in.get<bool>(2, false), in.get<bool>(3,
        false))); }},
    {"linalg.svd", kOfLinalgSvd, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::svd(in.tensor(0), in.get<bool>(1, true)); return {made.u, made.s, made.vh}; }},
    {"linalg.svd_ex", kOfLinalgSvd, [](const Arguments& in) -> Results { const auto made =
        patchbay::linalg::svd_ex(in.tensor(0), in.get<bool>(1, true)); return {made.u, made.s, made.vh, made.info};
        }},
    {"linalg.svdvals", kOfLinalgCond, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::svdvals(in.tensor(0))); }},
    {"linalg.tensordot", kOfLinalgTensordot, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::tensordot(in.tensor(0), in.tensor(1), in.get<Index>(2, 2))); }},
    {"linalg.tensordot", kOfLinalgTensordot1, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::tensordot(in.tensor(0), in.tensor(1), in.get<Axes>(2), in.get<Axes>(3))); }},
    {"linalg.trace", kOfLinalgDiagonal, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::trace(in.tensor(0), in.get<Index>(1, 0))); }},
    {"linalg.vecdot", kOfLinalgCross, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::vecdot(in.tensor(0), in.tensor(1), in.get<Dim>(2, -1))); }},
    {"linalg.vector_norm", kOfLinalgVectorNorm, [](const Arguments& in) -> Results { return
        one(patchbay::linalg::vector_norm(in.tensor(0), in.get<double>(1, 2), in.get<Axes>(2, {}), in.get<bool>(3,
        false))); }},
    {"linear", kOfLinear, [](const Arguments& in) -> Results { return one(patchbay::linear(in.tensor(0), in.tensor(1),
        in.tensor(2))); }},
    {"linear", kOfLinear1, [](const Arguments& in) -> Results { return one(patchbay::linear(in.tensor(0),
        in.tensor(1), in.tensor(2), in.get<Activation>(3))); }},
    {"linspace", kOfLinspace, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(3, s0.dtype); in.set(4,
        s0.device); return one(patchbay::linspace(in.get<double>(0), in.get<double>(1), in.get<Index>(2), s0)); }},
    {"log", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::log(in.tensor(0))); }},
    {"log1p", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::log1p(in.tensor(0))); }},
    {"log1p_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::log1p_out(in.tensor(0),
        in.tensor(1))); }},
    {"log2", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::log2(in.tensor(0))); }},
    {"log2_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::log2_out(in.tensor(0),
        in.tensor(1))); }},
    {"log_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::log_out(in.tensor(0),
        in.tensor(1))); }},
    {"log_softmax", kOfLogSoftmax, [](const Arguments& in) -> Results { return one(patchbay::log_softmax(in.tensor(0),
        in.get<Dim>(1))); }},
    {"logical_and", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::logical_and(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::logical_and(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) {
        return one(patchbay::logical_and(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"logical_and_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) {
        return one(patchbay::logical_and_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::logical_and_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if
        (!in.is_tensor(1) && in.is_tensor(2)) { return one(patchbay::logical_and_out(in.tensor(0), in.get<Scalar>(1),
        in.tensor(2))); } in.refuse_numbers(); }},
    {"logical_not", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::logical_not(in.tensor(0))); }},
    {"logical_not_out", kOfAbsOut, [](const Arguments& in) -> Results { return
        one(patchbay::logical_not_out(in.tensor(0), in.tensor(1))); }},
    {"logical_or", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::logical_or(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::logical_or(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) {
        return one(patchbay::logical_or(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"logical_or_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) {
        return one(patchbay::logical_or_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::logical_or_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if
        (!in.is_tensor(1) && in.is_tensor(2)) { return one(patchbay::logical_or_out(in.tensor(0), in.get<Scalar>(1),
        in.tensor(2))); } in.refuse_numbers(); }},
    {"logsumexp", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::logsumexp(in.tensor(0),
        in.get<Axes>(1, {}), in.get<bool>(2, false))); }},
    {"lstm", kOfLstm, [](const Arguments& in) -> Results { LstmState s0{}; in.set(2, s0.hidden); in.set(3, s0.cell);
        const auto made = patchbay::lstm(in.tensor(0), in.structs<patchbay::RecurrentWeights>(1,
        {&patchbay::RecurrentWeights::input_weight, &patchbay::RecurrentWeights::hidden_weight,
        &patchbay::RecurrentWeights::input_bias, &patchbay::RecurrentWeights::hidden_bias}), s0); return {made.output,
        made.state.hidden, made.state.cell}; }},
    {"lstm_cell", kOfLstmCell, [](const Arguments& in) -> Results { LstmState s0{}; in.set(1, s0.hidden); in.set(2,
        s0.cell); RecurrentWeights s1{}; in.set(3, s1.input_weight); in.set(4, s1.hidden_weight); in.set(5,
        s1.input_bias); in.set(6, s1.hidden_bias); const auto made = patchbay::lstm_cell(in.tensor(0), s0, s1); return
        {made.hidden, made.cell}; }},
    {"lt", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::lt(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::lt(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::lt(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"lt_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::lt_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::lt_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::lt_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"masked_fill", kOfMaskedFill, [](const Arguments& in) -> Results { return one(patchbay::masked_fill(in.tensor(0),
        in.tensor(1), in.get<Scalar>(2))); }},
    {"matmul", kOfLinalgOuter, [](const Arguments& in) -> Results { return one(patchbay::matmul(in.tensor(0),
        in.tensor(1))); }},
    {"matmul_out", kOfMatmulOut, [](const Arguments& in) -> Results { return one(patchbay::matmul_out(in.tensor(0),
        in.tensor(1), in.tensor(2), in.get<Scalar>(3, 1), in.get<Scalar>(4, 0))); }},
    {"max", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::max(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"max_pool1d", kOfMaxPool1d, [](const Arguments& in) -> Results { MaxPool1dOptions s0{}; in.set(2, s0.stride);
        in.set(3, s0.padding); in.set(4, s0.dilation); in.set(5, s0.ceil); return
        one(patchbay::max_pool1d(in.tensor(0), in.get<Index>(1), s0)); }},
    {"max_pool2d", kOfMaxPool2d, [](const Arguments& in) -> Results { MaxPool2dOptions s0{}; in.set(2, s0.stride);
        in.set(3, s0.padding); in.set(4, s0.dilation); in.set(5, s0.ceil); return
        one(patchbay::max_pool2d(in.tensor(0), in.get<Pair>(1), s0)); }},
    {"max_pool2d_index", kOfMaxPool2d, [](const Arguments& in) -> Results { MaxPool2dOptions s0{}; in.set(2,
        s0.stride); in.set(3, s0.padding); in.set(4, s0.dilation); in.set(5, s0.ceil); return
        one(patchbay::max_pool2d_index(in.tensor(0), in.get<Pair>(1), s0)); }},
    {"maximum", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::maximum(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::maximum(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::maximum(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"maximum_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::maximum_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::maximum_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if
        (!in.is_tensor(1) && in.is_tensor(2)) { return one(patchbay::maximum_out(in.tensor(0), in.get<Scalar>(1),
        in.tensor(2))); } in.refuse_numbers(); }},
    {"mean", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::mean(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"min", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::min(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"minimum", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::minimum(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::minimum(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::minimum(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"minimum_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::minimum_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::minimum_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if
        (!in.is_tensor(1) && in.is_tensor(2)) { return one(patchbay::minimum_out(in.tensor(0), in.get<Scalar>(1),
        in.tensor(2))); } in.refuse_numbers(); }},
    {"mse_loss", kOfL1Loss, [](const Arguments& in) -> Results { return one(patchbay::mse_loss(in.tensor(0),
        in.tensor(1), in.get<LossReduction>(2, LossReduction::kMean))); }},
    {"mul", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::mul(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::mul(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::mul(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"mul_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::mul_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::mul_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::mul_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"ne", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::ne(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::ne(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::ne(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"ne_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::ne_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::ne_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::ne_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"neg", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::neg(in.tensor(0))); }},
    {"neg_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::neg_out(in.tensor(0),
        in.tensor(1))); }},
    {"nll_loss", kOfNllLoss, [](const Arguments& in) -> Results { NllOptions s0{}; in.set(2, s0.weight); in.set(3,
        s0.ignored_index); in.set(4, s0.reduction); return one(patchbay::nll_loss(in.tensor(0), in.tensor(1), s0));
        }},
    {"norm", kOfNorm, [](const Arguments& in) -> Results { return one(patchbay::norm(in.tensor(0), in.get<double>(1,
        2), in.get<Axes>(2, {}), in.get<bool>(3, false))); }},
    {"one_hot", kOfOneHot, [](const Arguments& in) -> Results { return one(patchbay::one_hot(in.tensor(0),
        in.get<Index>(1))); }},
    {"ones", kOfEmpty, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::ones(in.get<Shape>(0), s0)); }},
    {"ones_like", kOfEmptyLike, [](const Arguments& in) -> Results { return one(patchbay::ones_like(in.tensor(0)));
        }},
    {"pad", kOfPad, [](const Arguments& in) -> Results { return one(patchbay::pad(in.tensor(0),
        in.structs<patchbay::Padding>(1, {&patchbay::Padding::before, &patchbay::Padding::after}), in.get<Scalar>(2,
        0))); }},
    {"pow", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::pow(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::pow(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::pow(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"pow_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::pow_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::pow_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::pow_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"prod", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::prod(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"rand", kOfRand, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::rand(in.get<Shape>(0), s0, in.get<std::optional<Generator>>(3, {}))); }},
    {"randint", kOfRandint, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(3, s0.dtype); in.set(4,
        s0.device); return one(patchbay::randint(in.get<std::int64_t>(0), in.get<std::int64_t>(1), in.get<Shape>(2),
        s0, in.get<std::optional<Generator>>(5, {}))); }},
    {"randn", kOfRand, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::randn(in.get<Shape>(0), s0, in.get<std::optional<Generator>>(3, {}))); }},
    {"randperm", kOfRandperm, [](const Arguments& in) -> Results { return
        one(patchbay::randperm(in.get<std::int64_t>(0), in.has(1) ? in.get<Device>(1) : default_device(),
        in.get<std::optional<Generator>>(2, {}))); }},
    {"real", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::real(in.tensor(0))); }},
    {"relu", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::relu(in.tensor(0))); }},
    {"relu_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::relu_out(in.tensor(0),
        in.tensor(1))); }},
    {"remainder", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::remainder(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::remainder(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::remainder(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"remainder_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::remainder_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) &&
        !in.is_tensor(2)) { return one(patchbay::remainder_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if
        (!in.is_tensor(1) && in.is_tensor(2)) { return one(patchbay::remainder_out(in.tensor(0), in.get<Scalar>(1),
        in.tensor(2))); } in.refuse_numbers(); }},
    {"remove_accumulation_hook", kOfRemoveAccumulationHook, [](const Arguments& in) -> Results {
        patchbay::remove_accumulation_hook(in.tensor(0), in.get<std::uint64_t>(1)); return {}; }},
    {"rms_norm", kOfRmsNorm, [](const Arguments& in) -> Results { return one(patchbay::rms_norm(in.tensor(0),
        in.get<Shape>(1), in.tensor(2), in.get<std::optional<double>>(3, {}))); }},
    {"rotary_embedding", kOfRotaryEmbedding, [](const Arguments& in) -> Results { RotaryOptions s0{}; in.set(1,
        s0.positions); in.set(2, s0.offset); in.set(3, s0.base); in.set(4, s0.is_interleaved); return
        one(patchbay::rotary_embedding(in.tensor(0), s0)); }},
    {"round", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::round(in.tensor(0))); }},
    {"round_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::round_out(in.tensor(0),
        in.tensor(1))); }},
    {"rsqrt", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::rsqrt(in.tensor(0))); }},
    {"rsqrt_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::rsqrt_out(in.tensor(0),
        in.tensor(1))); }},
    {"scaled_dot_product_attention", kOfScaledDotProductAttention, [](const Arguments& in) -> Results {
        AttentionOptions s0{}; in.set(3, s0.mask); in.set(4, s0.is_causal); in.set(5, s0.scale); in.set(6,
        s0.dropout); in.set(7, s0.generator); in.set(8, s0.grouped_heads); return
        one(patchbay::scaled_dot_product_attention(in.tensor(0), in.tensor(1), in.tensor(2), s0)); }},
    {"scatter_add", kOfIndexAdd, [](const Arguments& in) -> Results { return one(patchbay::scatter_add(in.tensor(0),
        in.get<Dim>(1), in.tensor(2), in.tensor(3))); }},
    {"scatter_add_out", kOfIndexAddOut, [](const Arguments& in) -> Results { return
        one(patchbay::scatter_add_out(in.tensor(0), in.tensor(1), in.get<Dim>(2), in.tensor(3), in.tensor(4))); }},
    {"sgd_update", kOfSgdUpdate, [](const Arguments& in) -> Results { SgdOptions s0{}; in.set(4, s0.learning_rate);
        in.set(5, s0.momentum); in.set(6, s0.dampening); in.set(7, s0.weight_decay); in.set(8, s0.nesterov);
        patchbay::sgd_update(in.tensors(0), in.tensors(1), in.tensors(2), in.get<std::int64_t>(3), s0); return {}; }},
    {"sgd_update", kOfSgdUpdate1, [](const Arguments& in) -> Results { SgdOptions s0{}; in.set(4, s0.learning_rate);
        in.set(5, s0.momentum); in.set(6, s0.dampening); in.set(7, s0.weight_decay); in.set(8, s0.nesterov);
        patchbay::sgd_update(in.tensors(0), in.tensors(1), in.tensors(2), in.structs<patchbay::UpdateNumbers>(3,
        {&patchbay::UpdateNumbers::step, &patchbay::UpdateNumbers::learning_rate, &patchbay::UpdateNumbers::applies}),
        s0); return {}; }},
    {"sigmoid", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::sigmoid(in.tensor(0))); }},
    {"sigmoid_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::sigmoid_out(in.tensor(0),
        in.tensor(1))); }},
    {"sign", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::sign(in.tensor(0))); }},
    {"sign_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::sign_out(in.tensor(0),
        in.tensor(1))); }},
    {"silu", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::silu(in.tensor(0))); }},
    {"silu_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::silu_out(in.tensor(0),
        in.tensor(1))); }},
    {"sin", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::sin(in.tensor(0))); }},
    {"sin_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::sin_out(in.tensor(0),
        in.tensor(1))); }},
    {"softmax", kOfLogSoftmax, [](const Arguments& in) -> Results { return one(patchbay::softmax(in.tensor(0),
        in.get<Dim>(1))); }},
    {"softplus", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::softplus(in.tensor(0))); }},
    {"softplus_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::softplus_out(in.tensor(0),
        in.tensor(1))); }},
    {"sort", kOfArgsort, [](const Arguments& in) -> Results { const auto made = patchbay::sort(in.tensor(0),
        in.get<Dim>(1, -1), in.get<bool>(2, false)); return {made.values, made.indices}; }},
    {"split", kOfSplit, [](const Arguments& in) -> Results { return patchbay::split(in.tensor(0),
        in.get<std::int64_t>(1), in.get<Dim>(2, 0)); }},
    {"split", kOfSplit1, [](const Arguments& in) -> Results { return patchbay::split(in.tensor(0),
        in.get<std::vector<std::int64_t>>(1), in.get<Dim>(2, 0)); }},
    {"sqrt", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::sqrt(in.tensor(0))); }},
    {"sqrt_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::sqrt_out(in.tensor(0),
        in.tensor(1))); }},
    {"square", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::square(in.tensor(0))); }},
    {"square_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::square_out(in.tensor(0),
        in.tensor(1))); }},
    {"stack", kOfConcat, [](const Arguments& in) -> Results { return one(patchbay::stack(in.tensors(0), in.get<Dim>(1,
        0))); }},
    {"stddev", kOfStddev, [](const Arguments& in) -> Results { return one(patchbay::stddev(in.tensor(0),
        in.get<Axes>(1, {}), in.get<int>(2, 1), in.get<bool>(3, false))); }},
    {"sub", kOfAdd, [](const Arguments& in) -> Results { if (in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::sub(in.tensor(0), in.tensor(1))); } if (in.is_tensor(0) && !in.is_tensor(1)) { return
        one(patchbay::sub(in.tensor(0), in.get<Scalar>(1))); } if (!in.is_tensor(0) && in.is_tensor(1)) { return
        one(patchbay::sub(in.get<Scalar>(0), in.tensor(1))); } in.refuse_numbers(); }},
    {"sub_out", kOfAddOut, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::sub_out(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::sub_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::sub_out(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); }
        in.refuse_numbers(); }},
    {"sum", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::sum(in.tensor(0), in.get<Axes>(1, {}),
        in.get<bool>(2, false))); }},
    {"sum_squares", kOfAll, [](const Arguments& in) -> Results { return one(patchbay::sum_squares(in.tensor(0),
        in.get<Axes>(1, {}), in.get<bool>(2, false))); }},
    {"tan", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::tan(in.tensor(0))); }},
    {"tan_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::tan_out(in.tensor(0),
        in.tensor(1))); }},
    {"tanh", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::tanh(in.tensor(0))); }},
    {"tanh_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::tanh_out(in.tensor(0),
        in.tensor(1))); }},
    {"topk", kOfTopk, [](const Arguments& in) -> Results { const auto made = patchbay::topk(in.tensor(0),
        in.get<Index>(1), in.get<Dim>(2, -1), in.get<bool>(3, true)); return {made.values, made.indices}; }},
    {"trace", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::trace(in.tensor(0))); }},
    {"tril", kOfTril, [](const Arguments& in) -> Results { return one(patchbay::tril(in.tensor(0), in.get<Index>(1,
        0))); }},
    {"triu", kOfTril, [](const Arguments& in) -> Results { return one(patchbay::triu(in.tensor(0), in.get<Index>(1,
        0))); }},
    {"trunc", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::trunc(in.tensor(0))); }},
    {"trunc_out", kOfAbsOut, [](const Arguments& in) -> Results { return one(patchbay::trunc_out(in.tensor(0),
        in.tensor(1))); }},
    {"var", kOfStddev, [](const Arguments& in) -> Results { return one(patchbay::var(in.tensor(0), in.get<Axes>(1,
        {}), in.get<int>(2, 1), in.get<bool>(3, false))); }},
    {"view_as_complex", kOfAbs, [](const Arguments& in) -> Results { return
        one(patchbay::view_as_complex(in.tensor(0))); }},
    {"view_as_real", kOfAbs, [](const Arguments& in) -> Results { return one(patchbay::view_as_real(in.tensor(0)));
        }},
    {"where", kOfWhere, [](const Arguments& in) -> Results { if (in.is_tensor(1) && in.is_tensor(2)) { return
        one(patchbay::where(in.tensor(0), in.tensor(1), in.tensor(2))); } if (in.is_tensor(1) && !in.is_tensor(2)) {
        return one(patchbay::where(in.tensor(0), in.tensor(1), in.get<Scalar>(2))); } if (!in.is_tensor(1) &&
        in.is_tensor(2)) { return one(patchbay::where(in.tensor(0), in.get<Scalar>(1), in.tensor(2))); } if
        (!in.is_tensor(1) && !in.is_tensor(2)) { return one(patchbay::where(in.tensor(0), in.get<Scalar>(1),
        in.get<Scalar>(2))); } in.refuse_numbers(); }},
    {"where_out", kOfWhereOut, [](const Arguments& in) -> Results { if (in.is_tensor(2) && in.is_tensor(3)) { return
        one(patchbay::where_out(in.tensor(0), in.tensor(1), in.tensor(2), in.tensor(3))); } if (in.is_tensor(2) &&
        !in.is_tensor(3)) { return one(patchbay::where_out(in.tensor(0), in.tensor(1), in.tensor(2),
        in.get<Scalar>(3))); } if (!in.is_tensor(2) && in.is_tensor(3)) { return one(patchbay::where_out(in.tensor(0),
        in.tensor(1), in.get<Scalar>(2), in.tensor(3))); } if (!in.is_tensor(2) && !in.is_tensor(3)) { return
        one(patchbay::where_out(in.tensor(0), in.tensor(1), in.get<Scalar>(2), in.get<Scalar>(3))); }
        in.refuse_numbers(); }},
    {"zeros", kOfEmpty, [](const Arguments& in) -> Results { TensorOptions s0{}; in.set(1, s0.dtype); in.set(2,
        s0.device); return one(patchbay::zeros(in.get<Shape>(0), s0)); }},
    {"zeros_like", kOfEmptyLike, [](const Arguments& in) -> Results { return one(patchbay::zeros_like(in.tensor(0)));
        }},
};

constexpr NotCalled kNotCalled[] = {
    {"add_accumulation_hook", "its result is no tensor"},
    {"adopt_context", "it takes and gives no tensor"},
    {"calibrate", "`from` is an Endpoint"},
    {"call", "`inputs` is a list of tensor_or_scalar"},
    {"callable_names", "its result is no tensor"},
    {"checked_size_bytes", "its result is no tensor"},
    {"checkpoint", "`function` is a function"},
    {"complex_dtype", "its result is no tensor"},
    {"contiguous_strides", "its result is no tensor"},
    {"copy", "`buffer` is a Buffer"},
    {"copy_from_host", "`buffer` is a Buffer"},
    {"copy_to_host", "`to` is an address"},
    {"current_plugin_call", "its result is no tensor"},
    {"default_device", "its result is no tensor"},
    {"default_generator", "its result is no tensor"},
    {"driver_memory", "its result is no tensor"},
    {"dtype_of", "its result is no tensor"},
    {"find_operator", "its result is no tensor"},
    {"first_cpu", "its result is no tensor"},
    {"from_buffer", "`buffer` is a Buffer"},
    {"from_dlpack", "`managed` is an address"},
    {"from_host", "it is a template"},
    {"from_host_bytes", "`data` is an address"},
    {"fuse", "it is a template"},
    {"gradcheck", "its result is no tensor"},
    {"is_complex", "its result is no tensor"},
    {"is_floating", "its result is no tensor"},
    {"is_grad_enabled", "its result is no tensor"},
    {"is_inference_mode", "its result is no tensor"},
    {"is_made_in_recording", "its result is no tensor"},
    {"is_recording_graph", "its result is no tensor"},
    {"is_same_hardware", "its result is no tensor"},
    {"manual_seed", "it takes and gives no tensor"},
    {"native_context", "its result is no tensor"},
    {"native_handle", "its result is no tensor"},
    {"nn.clip_grad_norm", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.clip_grad_value", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.clone", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.cosine", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.cosine_restarts", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.exponential", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.held_back", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.in_sequence", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.calculate_gain", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.constant", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.dirac", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.eye", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.fan_of", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.kaiming_normal", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.kaiming_uniform", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.normal", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.ones", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.orthogonal", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.sparse", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.trunc_normal", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.uniform", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.xavier_normal", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.xavier_uniform", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.init.zeros", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.linear_ramp", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.load", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.load_checkpoint", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.load_safetensors", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.milestones", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.num_correct", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.one_cycle", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.polynomial", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.product_of", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.random_split", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.read_csv", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.read_idx", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.read_npy", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.read_npy_all", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.read_npz", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.save", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.save_checkpoint", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.save_loss_plot", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.save_npy", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.save_safetensors", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"nn.step_decay", "it is in libpatchbay-nn, which is above patchbay::call"},
    {"num_elements", "its result is no tensor"},
    {"num_gpus", "its result is no tensor"},
    {"num_overwrites", "its result is no tensor"},
    {"parse_dtype", "its result is no tensor"},
    {"plan_copy", "its result is no tensor"},
    {"plugin_abi_version", "its result is no tensor"},
    {"plugin_extension", "its result is no tensor"},
    {"print_options", "its result is no tensor"},
    {"real_dtype", "its result is no tensor"},
    {"record_graph", "its result is no tensor"},
    {"running_plugin_calls", "its result is no tensor"},
    {"set_default_device", "it takes and gives no tensor"},
    {"show", "its result is no tensor"},
    {"size_bytes", "its result is no tensor"},
    {"take_plugin_breaches", "its result is no tensor"},
    {"to_dlpack", "its result is no tensor"},
    {"to_dlpack_unversioned", "its result is no tensor"},
    {"to_string", "its result is no tensor"},
    {"try_all_gpus", "its result is no tensor"},
    {"try_gpu", "its result is no tensor"},
    {"validation_report", "its result is no tensor"},
    {"version", "its result is no tensor"},
    {"why_unsupported", "its result is no tensor"},
    {"wrap_buffer", "its result is no tensor"},
    {"wrap_host", "`data` is an address"},
    {"wrap_stream", "its result is no tensor"},
};

}  // namespace

std::span<const Signature> signatures() { return kSignatures; }
std::span<const NotCalled> not_called() { return kNotCalled; }

}  // namespace patchbay::tensor
