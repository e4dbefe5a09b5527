// The dialects that the generator speaks. Each is a set of choices a recorder made; the events'
// meaning is the same in all of them, so the same answers must come out.

/**
 * @typedef {object} Dialect
 * @property {'object' | 'array'} container
 * @property {'old' | '1.10' | '1.12' | '2.0' | 'none'} categories   names of categories
 * @property {boolean} textIds          thread ids as text: "25738", "stream 7"
 * @property {'integer' | 'decimal' | 'unpadded'} stamps   how times are written
 * @property {'absolute' | 'relative' | 'zero'} origin     what times count from
 * @property {'none' | 'before' | 'after'} base            where baseTimeNanoseconds stands
 * @property {'old' | 'trap' | 'fallback' | 'op' | 'none'} externalId   what device rows carry
 * @property {'cuda' | 'rocm' | 'xpu' | 'mtia' | 'none'} device
 * @property {boolean} host             host rows exist
 * @property {boolean} driver           every third launch is a driver call
 * @property {'none' | 'plain' | 'addressed'} memory   allocator records, and with addresses or not
 * @property {boolean} memoryCategory   allocator records carry a category
 * @property {boolean} python           python_function events
 * @property {boolean} callFrom         python_function events name the calling line
 * @property {boolean} callStack        ops carry a "Call stack" text
 * @property {boolean} shapes           ops carry shapes
 * @property {'none' | 'async' | 'async_gpu' | 'async_cpu_to_gpu' | 'ac2g'} launchFlows
 * @property {boolean} loneFlowEnds     an `f` without `s` on runtime rows that launch nothing
 * @property {'none' | 'forward_backward' | 'fwdbwd'} backwardFlows
 * @property {boolean} deviceAnnotations   projections of host ranges on streams
 * @property {boolean} beginEnd         B/E pairs in place of X
 * @property {boolean} graphs           one launch with many kernels
 * @property {'none' | 'annotation' | 'capture'} graphLines   what tells the lines of a graph's kernels:
 *   args of the kernels, or a capture in the trace
 * @property {boolean} collectives      NCCL kernels and their ops
 * @property {boolean} orphans          kernels whose launch is not in the file
 * @property {number} metadataRepeats   how often metadata is repeated
 */

const modern = {
  container: 'object',
  categories: '2.0',
  textIds: false,
  stamps: 'decimal',
  origin: 'relative',
  base: 'before',
  externalId: 'op',
  device: 'cuda',
  host: true,
  driver: true,
  memory: 'addressed',
  memoryCategory: true,
  python: true,
  callFrom: false,
  callStack: false,
  shapes: true,
  launchFlows: 'ac2g',
  loneFlowEnds: true,
  backwardFlows: 'fwdbwd',
  deviceAnnotations: true,
  beginEnd: false,
  graphs: false,
  graphLines: 'none',
  collectives: false,
  orphans: false,
  metadataRepeats: 1,
};

const integer = { stamps: 'integer', origin: 'absolute', base: 'none' };

const from18 = {
  ...modern,
  ...integer,
  categories: 'old',
  textIds: true,
  externalId: 'old',
  driver: false,
  memory: 'none',
  memoryCategory: false,
  python: false,
  launchFlows: 'async',
  loneFlowEnds: false,
  backwardFlows: 'none',
  deviceAnnotations: false,
};
const from19 = { ...from18, memory: 'plain', callStack: true };
const from110 = {
  ...from19,
  categories: '1.10',
  textIds: false,
  memory: 'addressed',
  launchFlows: 'async_gpu',
  backwardFlows: 'forward_backward',
};
const from111 = { ...from110, callStack: false, python: true, backwardFlows: 'none' };
const from112 = {
  ...from111,
  categories: '1.12',
  externalId: 'trap',
  launchFlows: 'async_cpu_to_gpu',
  loneFlowEnds: true,
};
const from113 = { ...from112, categories: '2.0', memoryCategory: true };
const from20 = { ...from113, launchFlows: 'ac2g' };
const from21 = { ...from20, driver: true, backwardFlows: 'fwdbwd', deviceAnnotations: true };
const from24 = { ...modern, base: 'after', externalId: 'fallback' };

/** @type {Record<string, Dialect>} */
export const dialects = {
  'torch-1.8': from18,
  'torch-1.9': from19,
  'torch-1.10': from110,
  'torch-1.11': from111,
  'torch-1.12': from112,
  'torch-1.13': from113,
  'torch-2.0': from20,
  'torch-2.1': from21,
  'nightly-2024': { ...from21, stamps: 'decimal', origin: 'absolute', externalId: 'op' },
  'torch-2.4': from24,
  'torch-2.6': { ...from24, externalId: 'op', orphans: true },
  'torch-2.8': modern,
  'torch-2.13': { ...modern, callFrom: true, graphs: true },
  'graph-annotations': { ...modern, callFrom: true, graphs: true, graphLines: 'annotation' },
  'graph-capture': { ...modern, callFrom: true, graphs: true, graphLines: 'capture' },
  'relative-no-base': { ...modern, base: 'none' },
  'unpadded-stamps': { ...modern, stamps: 'unpadded' },
  rocm: { ...modern, device: 'rocm', driver: false, python: false },
  xpu: { ...modern, device: 'xpu', driver: false, externalId: 'none', python: false },
  mtia: {
    ...modern,
    device: 'mtia',
    driver: false,
    externalId: 'none',
    python: false,
    deviceAnnotations: false,
    metadataRepeats: 50,
  },
  'cpu-only': { ...modern, device: 'none', deviceAnnotations: false, launchFlows: 'none' },
  'gpu-only': {
    ...modern,
    host: false,
    python: false,
    memory: 'none',
    backwardFlows: 'none',
    deviceAnnotations: false,
    launchFlows: 'none',
  },
  nccl: { ...modern, collectives: true },
  'begin-end': { ...modern, beginEnd: true, backwardFlows: 'none', launchFlows: 'none' },
  'bare-array': {
    ...modern,
    container: 'array',
    categories: 'none',
    origin: 'zero',
    base: 'none',
    externalId: 'none',
    device: 'none',
    memory: 'none',
    python: false,
    shapes: false,
    launchFlows: 'none',
    loneFlowEnds: false,
    backwardFlows: 'none',
    deviceAnnotations: false,
  },
};

/** Category names by the era of the recorder; the key is the meaning. */
export const categoryNames = {
  old: {
    op: 'Operator',
    annotation: 'Operator',
    runtime: 'Runtime',
    driver: 'Runtime',
    kernel: 'Kernel',
    memcpy: 'Memcpy',
    memset: 'Memset',
    deviceAnnotation: 'User',
    python: 'Python',
  },
  '1.10': {
    op: 'cpu_op',
    annotation: 'user_annotation',
    runtime: 'Runtime',
    driver: 'Runtime',
    kernel: 'Kernel',
    memcpy: 'Memcpy',
    memset: 'Memset',
    deviceAnnotation: 'User',
    python: 'python_function',
  },
  1.12: {
    op: 'cpu_op',
    annotation: 'user_annotation',
    runtime: 'cuda_runtime',
    driver: 'cuda_driver',
    kernel: 'kernel',
    memcpy: 'gpu_memcpy',
    memset: 'gpu_memset',
    deviceAnnotation: 'gpu_user_Annotation',
    python: 'python_function',
  },
  '2.0': {
    op: 'cpu_op',
    annotation: 'user_annotation',
    runtime: 'cuda_runtime',
    driver: 'cuda_driver',
    kernel: 'kernel',
    memcpy: 'gpu_memcpy',
    memset: 'gpu_memset',
    deviceAnnotation: 'gpu_user_annotation',
    python: 'python_function',
  },
};

/** What differs between devices: categories of launches and names of the calls. */
export const deviceNames = {
  cuda: {
    label: 'GPU',
    launch: 'cudaLaunchKernel',
    driverLaunch: 'cuLaunchKernel',
    copy: 'cudaMemcpyAsync',
    set: 'cudaMemsetAsync',
    wait: 'cudaDeviceSynchronize',
    properties: {
      id: 0,
      name: 'Synthetic A100',
      totalGlobalMem: 42949672960,
      computeMajor: 8,
      computeMinor: 0,
      maxThreadsPerBlock: 1024,
      maxThreadsPerMultiprocessor: 2048,
      regsPerBlock: 65536,
      warpSize: 32,
      sharedMemPerBlock: 49152,
      numSms: 108,
    },
  },
  rocm: {
    label: 'GPU',
    launch: 'hipLaunchKernel',
    copy: 'hipMemcpyAsync',
    set: 'hipMemsetAsync',
    wait: 'hipDeviceSynchronize',
    properties: {
      id: 0,
      name: 'Synthetic MI300X',
      totalGlobalMem: 206141652992,
      computeMajor: 9,
      computeMinor: 4,
      maxThreadsPerBlock: 1024,
      maxThreadsPerMultiprocessor: 2048,
      warpSize: 64,
      numSms: 304,
    },
  },
  xpu: {
    label: 'XPU',
    runtime: 'xpu_runtime',
    launch: 'urEnqueueKernelLaunch',
    copy: 'urEnqueueUSMMemcpy',
    set: 'urEnqueueUSMFill',
    wait: 'urQueueFinish',
    properties: { name: 'Synthetic XPU', totalGlobalMem: 68719476736, maxComputeUnits: 448 },
  },
  mtia: {
    label: 'MTIA',
    runtime: 'mtia_runtime',
    kernel: 'mtia_ccp_events',
    launch: 'runFunction',
    copy: 'memcpyHostToDevice',
    set: 'memsetDevice',
    wait: 'waitDevice',
    properties: { id: 0, name: 'Synthetic MTIA', runtimeMajorVersion: 1, runtimeMinorVersion: 0 },
  },
  none: {},
};
