// What the extension says, by id: a catalog like those of the engine (native/*/messages.h). Whoever
// says something takes it from here; values come as they are, and are written here. The manifest has
// its own texts, and the log is for those who mend the program.
import { formatShare, formatUs, plural } from './numbers.ts';

/** The daemon: how it starts, ends, and answers. */
export const daemonTexts = {
  notStarted: (reason: string) => `The analysis server could not be started: ${reason}`,
  checkProgram: (program: string) =>
    `Check that ${program} exists and is executable, or clear emberline.serverPath.`,
  noHandshake: 'The analysis server did not answer the handshake.',
  otherVersion: (speaks: number, wanted: number) =>
    `The analysis server uses protocol version ${speaks}; version ${wanted} is required.`,
  reinstall: 'Clear emberline.serverPath, or reinstall the extension, which includes its server.',
  endedUnanswered: 'The analysis server stopped before it answered.',
  cancelled: 'The request was cancelled.',
  shuttingDown: 'Emberline is shutting down.',
  stopped: 'It was stopped.',
  tryingAgain: 'The analysis server could not be started; trying again.',
  endedOften: (times: number, minutes: number) =>
    `The analysis server stopped ${plural(times, 'time')} within ${plural(minutes, 'minute')} and will not be restarted.`,
  restartOnce: 'The log says why. Restart tries again.',
  restartsUnexpectedly: 'The analysis server stopped unexpectedly and is restarting.',
  restarts: 'The analysis server is restarting.',
};

/** Opening and comparing profiles. */
export const profileTexts = {
  noProfileAt: (path: string) => `There is no profile at ${path}.`,
  noProfileBehindLink: 'This link does not point to a profile.',
  noneOpen: 'No profile is open.',
  isTrace: (name: string) => `${name} is a profiler trace.`,
  writtenAnew: (title: string) => `${title} has changed on disk since it was opened.`,
  traceOrOther: 'A trace in this workspace, or one from elsewhere',
  annotateWith: 'Profile to annotate the source with',
  recordingCopied: 'Recording code copied. Wrap it around a few steps of your program.',
  chooseTrace: 'Choose a trace file...',
  chooseFolder: 'Choose a run or log folder...',
  openTrace: 'Open a Trace',
  openFolder: 'Open a Run or Log Folder',
  openProfile: 'Open PyTorch Profile',
  baselineTitle: 'Compare PyTorch Profiles: Baseline',
  baseline: 'The baseline: the profile to compare against',
  candidate: 'The candidate: the profile to judge',
  selected: (title: string) => `Selected for compare: ${title}`,
  compareWith: (title: string) => `Compare with ${title}`,
  noComparison: 'Open a comparison of two profiles first.',
  sourceOfBaseline: (title: string) => `Source of the Baseline ${title}`,
  revision: 'The commit, branch or tag it was recorded from. Leave empty for the current files.',
  steps: (steps: string) => `steps ${steps}`,
  notWritten: (path: string, reason: string) => `${path} could not be written: ${reason}`,
  loadingCancelled: 'Loading was cancelled.',
  retryLoads: 'Retry loads the trace again.',
  waiting: 'Waiting for the analysis server',
  noCommit: (text: string) => `Git has no commit "${text}" here.`,
  choose: 'Choose profile',
  restart: 'Restart analysis server',
  notLoaded: 'Not loaded. Its editor says why.',
  server: (version: string) => `Analysis server ${version}`,
  candidateTitle: (title: string) => `Compare PyTorch Profiles: ${title} with...`,
  selectForCompare: 'Select for Compare',
  theBaseline: 'The baseline',
  openButton: 'Open Profile',
  isOpen: 'open',
  openSome: 'Open...',
  openSample: 'Open Sample',
  activeProfile: 'Active Profile',
  isActive: 'active',
  reload: 'Reload',
  opening: 'Opening',
  openAsProfile: 'Open as PyTorch Profile',
  dontAskAgain: "Don't Ask Again",
  product: 'PyTorch Profile',
};

/** The ranks of a job. */
export const jobTexts = {
  open: 'Open PyTorch Job',
  folderOfRanks: 'A folder with the traces of all ranks of a job, or with their digests',
  chooseFolder: 'Choose a folder...',
  openFolder: 'Open a Folder of Traces or Digests of One Job',
  holdsWorkers: (title: string, ranks: number) =>
    `${title} holds the traces of ${plural(ranks, 'worker')}. Open them as a job to see which ranks wait for which, and why.`,
  rankElsewhere: (rank: number, path: string) =>
    `The trace of rank ${rank} is not on this machine: ${path}`,
  openButton: 'Open Job',
  openAsJob: 'Open as Job',
  tab: (title: string) => `${title} \u00b7 job`,
};

/** Costs beside the code, and the way to it. */
export const sourceTexts = {
  hotLinesInPython: 'Only Python files have hot lines.',
  noHotLine: 'No line of this file is hot in the active profile.',
  needsLine: 'Put the cursor on a line of a Python file.',
  noCalls: 'The active profile has no calls from this line.',
  noPythonSource: (name: string) => `${name} has no Python source.`,
  whichFile: (file: string) => `Which file is ${file}?`,
  remembered: 'The choice is remembered',
  locate: (file: string) => `Locate ${file}`,
  notRemembered: (file: string, recorded: string) =>
    `${file} was opened, but the choice was not saved because the trace refers to ${recorded}.`,
  notInWorkspace: (file: string) => `${file} is not in this workspace.`,
  notFoundHere: (file: string) => `${file} (not found here)`,
  selfTime: (name: string, us: number, side: string) =>
    `${name}, ${formatUs(us)} ${side} self time`,
  changed: 'changed since the recording',
  changedBriefly: 'changed',
  costOfChangedBriefly: (us: number) => `${formatUs(us)}, changed`,
  changedLine: 'Changed since the recording',
  changedFigures:
    '_The line changed since the recording. These figures belong to the recorded text._',
  aligned: '_Line found by matching the recorded calls with the source._',
  statementOnly:
    '_The statement begins on this line. The text of its notebook cell is unknown, so the exact line is too._',
  functionOnly: '_Attributed to the function only: these calls could not be attributed to a line._',
  waitsFor: (kind: string) => `Waits for the ${kind}`,
  ofAll: (us: number, side: string, share: number) =>
    `**${formatUs(us)} ${side}**, ${formatShare(share)} of all ${side} time`,
  linesChanged: (cost: string, lines: number) =>
    `${cost} in ${plural(lines, 'line')} changed since the recording`,
  costOfChanged: (us: number, side: string, lines: number) =>
    `${formatUs(us)} ${side}, ${plural(lines, 'line')} changed since the recording`,
  hottest: 'Hottest line',
  hot: (place: number) => `Hot line ${place}`,
  showOperators: (name: string) => `Show the operators of ${name} in the profile`,
  showCalls: 'Show the calls of this line in the timeline',
  showInRoofline: 'Show this line in the roofline',
  showInComparison: (name: string) => `Show the lines of ${name} in the comparison`,
  atRoof: (us: number, target: number) => `${formatUs(us)} at ${formatShare(target)} of the roof`,
  couldSave: (saving: string) => `could save ${saving}`,
  copySuggested: 'Copy the suggested code',
  shownInSource: 'in source',
  costsInSource: 'The source shows the costs of this profile.',
  showInProfile: 'Show in PyTorch Profile',
  backwardShare: (share: number) => `backward ${formatShare(share)}`,
  recomputeTime: (us: number) => `recompute ${formatUs(us)}`,
  thisFrame: 'This frame',
  useThisFile: 'Use This File',
  /** The figure first: the end of a long line is cut. */
  hotLine: (us: number, line: string) => `${formatUs(us)}\u2002${line}`,
  hotLinePlace: (share: number, place: string, changed: boolean) =>
    `${formatShare(share)}  ${place}${changed ? ', changed' : ''}`,
  open: 'Open',
  atLine: (line: number) => `line ${line}`,
  isNew: (us: number) => `new, ${formatUs(us)}`,
  isGone: (us: number) => `gone, was ${formatUs(us)}`,
  perStep: '_Per step._',
  shapes: 'Shapes',
  savingHead: 'Could save',
  idle: (kind: string) => `${kind} idle`,
  allocates: 'Allocates',
  runs: 'Runs',
  callerAt: (name: string, line: number) => `${name} (line ${line})`,
};

/** Settings. */
export const settingsTexts = {
  mustBeNumber: (key: string, most: number) => `"${key}" must be a number from 0 to ${most}.`,
  mustBeExpression: (key: string) => `"${key}" must be an expression in quotes.`,
  matrixIsFlag: '"matrix" must be true or false.',
  nameIsText: '"name" must be a string.',
  mustBeObject: 'must be an object with a "name".',
  mustBeList: (setting: string) => `${setting} must be a list.`,
  ignores: (problem: string, more: number) =>
    `Emberline ignores ${problem}${more === 0 ? '' : ` (and ${more} more)`}`,
  ofEntry: (setting: string, entry: number, problem: string) =>
    `${setting}, entry ${entry}: ${problem}`,
  noPeak: (key: string, peaks: string) => `"${key}" is not a peak. Peaks: ${peaks}.`,
  noPartOfRule: (key: string, parts: string) =>
    `"${key}" is not part of a rule. Parts: name, ${parts}, matrix.`,
};
