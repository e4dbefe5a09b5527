// The tables of a job: ranks lead to their profiles, places to the code.
import type { ComponentChildren } from 'preact';
import type { Row } from '#shared/protocol.ts';
import { openSource } from '../../host/host.ts';
import { visible } from '../../lib/format.ts';
import { placeName, placeOf } from '../../lib/place_text.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Name, ShortName } from '../../widgets/name.tsx';
import { NoValue } from '../../widgets/table/cells.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { numberOf, text } from '../links.ts';
import { RankLink, severalDevices, type By } from './ranks.tsx';
import { jobTexts } from './texts.ts';

const rankCell =
  (key: string) =>
  (row: Row): ComponentChildren => {
    const rank = numberOf(row, key);
    return rank === undefined ? <NoValue /> : <RankLink rank={rank} />;
  };

/** A cell with a device, or the host. */
function deviceCell(row: Row): ComponentChildren {
  const device = numberOf(row, 'device');
  if (device === undefined) return <NoValue />;
  return device < 0 ? jobTexts.host : String(device);
}

/** A cell with a place, which opens the code. */
export function placeCell(row: Row): ComponentChildren {
  const whole = text(row, 'place');
  if (whole === '') return <NoValue />;
  const place = placeOf(whole);
  return place === undefined ? (
    visible(whole)
  ) : (
    <button
      type="button"
      class="cell-link"
      tabIndex={-1}
      title={commonTexts.openPlace(visible(whole))}
      onClick={(event) => openSource(place, event.ctrlKey || event.metaKey)}
    >
      {visible(placeName(place))}
    </button>
  );
}

/** A cell with the work of a launch, which opens it on its rank's timeline. */
function launchedCell(row: Row, names: ReadonlyMap<string, string>): ComponentChildren {
  const rank = numberOf(row, 'rank');
  const slice = numberOf(row, 'slice');
  const whole = text(row, 'name');
  if (rank === undefined || slice === undefined) return visible(whole);
  return (
    <RankLink rank={rank} slice={slice}>
      <ShortName whole={whole} among={names} />
    </RankLink>
  );
}

/** A cell with kernels that follow each other: by their short names. */
function patternCell(row: Row, names: ReadonlyMap<string, string>): ComponentChildren {
  const whole = text(row, 'pattern');
  const shown = whole.split('|').map((name) => names.get(name) ?? name);
  return <Name whole={whole} shown={shown.join(' → ')} />;
}

/** A cell with ranks: "0-3, 7". */
function membersCell(row: Row): ComponentChildren {
  const whole = text(row, 'members');
  return <Name whole={whole} shown={whole.replace(/(\d)-(\d)/g, '$1\u2013$2')} />;
}

/** A cell with an id, whose digits are no quantity. */
function correlationCell(row: Row): ComponentChildren {
  const id = numberOf(row, 'correlation');
  return id === undefined ? <NoValue /> : String(id);
}

/** Columns of functions, whatever the table. */
const functionColumns = ['kernel', 'pattern', 'reason'];

/** Tables that have functions in `name` too; others have operators, ranges or directions there. */
const namesFunctions: ReadonlySet<By> = new Set([
  'kernels',
  'kernelRanks',
  'launchRows',
  'reasons',
  'criticalPath',
]);

export function JobTable(props: {
  name: string;
  by: By;
  detail?: (row: Row) => ComponentChildren;
  rowKey?: (row: Row) => string;
  toolbar?: ComponentChildren;
  lesser?: readonly string[];
  /** Of sequences: which operators. */
  operator?: string;
  /** Of single launches: whose. */
  rank?: number;
}) {
  const { by, operator, rank } = props;
  return (
    <DataTable
      key={by}
      name={props.name}
      rows={commonTexts.anyRows}
      view="job"
      stateKey={by}
      method="distributed/table"
      params={{
        by,
        ...(operator === undefined ? {} : { operator }),
        ...(rank === undefined ? {} : { rank }),
      }}
      renderCell={{
        rank: rankCell('rank'),
        peer: rankCell('peer'),
        lastRank: rankCell('lastRank'),
        maxRank: rankCell('maxRank'),
        device: deviceCell,
        place: placeCell,
        members: membersCell,
        pattern: patternCell,
        correlation: correlationCell,
        ...(by === 'launchRows' ? { name: launchedCell } : {}),
      }}
      hideColumns={() => (severalDevices() ? [] : ['device'])}
      nameColumns={[...functionColumns, ...(namesFunctions.has(by) ? ['name'] : [])]}
      firstShare={by === 'kernels' ? 5 : 1}
      {...(props.lesser === undefined ? {} : { lesser: props.lesser })}
      {...(props.detail === undefined ? {} : { detail: props.detail })}
      {...(props.rowKey === undefined ? {} : { rowKey: props.rowKey })}
      toolbar={props.toolbar}
    />
  );
}
