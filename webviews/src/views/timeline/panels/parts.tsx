// What several panels show alike.
import { useEffect, useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { SliceRef } from '#shared/protocol.ts';
import { exact, quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { LinkButton } from '../../../widgets/controls.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { select } from '../state.ts';
import { failed } from '../status.ts';
import { panelTexts } from './texts.ts';

export const kindNames: Record<string, string> = {
  cpuOp: sharedTexts.operator,
  userAnnotation: panelTexts.annotation,
  gpuUserAnnotation: panelTexts.annotationDevice,
  kernel: sharedTexts.kernel,
  memcpy: commonTexts.memcpy,
  memset: panelTexts.memset,
  runtime: panelTexts.runtimeCall,
  driver: panelTexts.driverCall,
  pythonFunction: panelTexts.pythonFunction,
  overhead: panelTexts.profilerOverhead,
  sync: panelTexts.synchronization,
  cudaEvent: panelTexts.deviceEvent,
  traceSpan: panelTexts.recordingSpan,
  collective: panelTexts.collective,
  communication: panelTexts.collectiveDevice,
  derived: panelTexts.derivedRange,
  deviceOther: panelTexts.deviceWork,
  hostOther: panelTexts.otherHostRange,
};

export function kindName(kind: string): string {
  return kindNames[kind] ?? kind;
}

/**
 * A value once it has rested for a moment: what is dragged or moved would otherwise ask the daemon
 * sixty times a second for sums over millions of slices.
 */
export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** `bare` where the duration stands beside it; `among` as for a short name. */
export function SliceLink(props: {
  to: SliceRef;
  bare?: boolean;
  among?: ReadonlyMap<string, string>;
}) {
  return (
    <LinkButton
      title={commonTexts.nameLengthAndStart(props.to.name, props.to.durationNs, props.to.startNs)}
      onClick={() => void select(props.to.slice).catch(failed)}
    >
      <ShortName whole={props.to.name} among={props.among} />
      {props.bare === true ? null : (
        <>
          {' '}
          <span class="tl-dim">{quantity(props.to.durationNs, 'ns')}</span>
        </>
      )}
    </LinkButton>
  );
}

/** A time in a unit that suits it; whole on hover and in exports. */
export function Time(props: { ns: number }) {
  return (
    <span title={exact(props.ns, 'ns')} data-whole={props.ns}>
      {quantity(props.ns, 'ns')}
    </span>
  );
}

/** What the file recorded beside a slice or an instant. */
export function Arguments(props: { args: readonly { key: string; value: string }[] }) {
  return (
    <PlainTable
      stateKey="recordedArguments"
      label={panelTexts.recordedArguments}
      columns={[{ title: panelTexts.key }, { title: commonTexts.value }]}
      rows={props.args.map((arg) => [visible(arg.key), visible(arg.value)])}
    />
  );
}
