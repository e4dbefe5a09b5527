// What several panels show alike.
import { useEffect, useState } from 'preact/hooks';
import type { SliceRef } from '#shared/protocol.ts';
import { exact, quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { LinkButton } from '../../../widgets/controls.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { select } from '../state.ts';
import { failed } from '../status.ts';

export const kindNames: Record<string, string> = {
  cpuOp: 'Operator',
  userAnnotation: 'Annotation',
  gpuUserAnnotation: 'Annotation (device)',
  kernel: 'Kernel',
  memcpy: 'Memcpy',
  memset: 'Memset',
  runtime: 'Runtime call',
  driver: 'Driver call',
  pythonFunction: 'Python function',
  overhead: 'Profiler overhead',
  sync: 'Synchronization',
  cudaEvent: 'Device event',
  traceSpan: 'Recording span',
  collective: 'Collective',
  communication: 'Collective (device)',
  derived: 'Derived range',
  deviceOther: 'Device work',
  hostOther: 'Other host range',
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

/** `bare` where the duration stands beside it. */
export function SliceLink(props: { to: SliceRef; bare?: boolean }) {
  return (
    <LinkButton
      title={`${props.to.name}\n${quantity(props.to.durationNs, 'ns')} at ${quantity(props.to.startNs, 'ns')}`}
      onClick={() => void select(props.to.slice).catch(failed)}
    >
      <ShortName whole={props.to.name} />
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
      label="Recorded arguments"
      columns={[{ title: 'Key' }, { title: 'Value' }]}
      rows={props.args.map((arg) => [visible(arg.key), visible(arg.value)])}
    />
  );
}
