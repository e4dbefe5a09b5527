// Where a figure differs from the plugin's on purpose: which figures of which trace, and the error
// of the plugin (named as in README.md) that explains it. A deviation that no longer occurs fails
// the test, so the list stays true.

const step = '(step \\d+|average)';

/** @type {{trace: RegExp, figure: RegExp, bug: string}[]} */
export const deviations = [
  // Tensor cores of today's devices.
  { bug: 'B42', trace: /./, figure: /^kernel .* tensor cores$/ },
  { bug: 'B42', trace: /./, figure: /^operator .* tensorCoreEligible$/ },

  // Communication is recognized, so it is no longer kernel time; the roles below it shift.
  {
    bug: 'B6',
    trace: /nccl_data|trace_diff\/control/,
    figure: new RegExp(`^${step} (kernel|memcpy|memset|communication|runtime)$`),
  },

  // User ranges are no CPU execution: what no operator covers is "other".
  {
    bug: 'B68',
    trace: /^(hta|tracelens|zoology)/,
    figure: new RegExp(`^${step} (cpuExec|other)$`),
  },

  // Decimal stamps kept in doubles.
  {
    bug: 'B15',
    trace: /ns_resolution/,
    figure: new RegExp(`^${step} (kernel|memcpy|runtime)$`),
  },
  { bug: 'B15', trace: /ns_resolution/, figure: /^operator .* calls$/ },
  {
    bug: 'B15',
    trace: /ns_resolution/,
    figure: /^operator (?!record_param_comms ).* hostSelfUs$/,
  },

  // Launches joined to operators by external id alone.
  {
    bug: 'L1',
    trace: /alexnet|trace_diff\/control/,
    figure: /^operator .* (deviceSelfUs|deviceTotalUs|hostSelfUs)$/,
  },
  {
    bug: 'L1',
    trace: /nccl_data|zoology/,
    figure: /^operator (?!record_param_comms ).* hostSelfUs$/,
  },
  { bug: 'L1', trace: /alexnet|trace_diff\/control/, figure: /^rows by kernel properties$/ },

  // Annotations and module frames taken for operators called inside.
  {
    bug: 'L3',
    trace: /nccl_data|ns_resolution/,
    figure: /^operator record_param_comms hostSelfUs$/,
  },

  // Backward operators that the plugin loses when it moves them under modules.
  {
    bug: 'B8',
    trace: /ddp_resnet18/,
    figure:
      /^operator (aten::(fill_|zero_|empty|empty_like|zeros_like|mse_loss_backward)|MseLossBackward0|autograd::engine::evaluate_function: MseLossBackward0)( |$)/,
  },
  { bug: 'B8', trace: /ddp_resnet18/, figure: /^rows by (operator and shape|kernel properties)$/ },

  // Calls inside a call of the same operator.
  {
    bug: 'L2',
    trace: /trace_diff\/control|h100\/(Qwen|google)|^zoology/,
    figure: /^operator aten::(abs|arange|nan_to_num|where|zeros) (device|host)TotalUs$/,
  },

  // Advice.
  { bug: 'B6', trace: /trace_diff\/control/, figure: /^recommendations$/ },
  { bug: 'B46', trace: /mi300/, figure: /^recommendations$/ },

  // Memory.
  // Here the GPU has the number that its kernels have.
  { bug: 'B32', trace: /mi300\/Falconsai/, figure: /^memory GPU2 \S+$/ },
  {
    bug: 'B11',
    trace: /ddp_resnet18/,
    figure: /^memory CPU (aten::div|(autograd::engine::evaluate_function: )?MeanBackward1)$/,
  },
  { bug: 'B31', trace: /kineto-samples|h100\/google/, figure: /^memory .* calls$/ },
  {
    bug: 'L2',
    trace: /h100\/(Qwen|google)/,
    figure: /^memory GPU0 aten::(arange|where) (sizeIncrease|allocation)(Bytes|Count|SizeBytes)$/,
  },
];
