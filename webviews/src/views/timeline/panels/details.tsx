// The panel about what is selected.
import { Nothing } from '../../../widgets/notices.tsx';
import { detail, markedRange, shownInstant } from '../state.ts';
import { InstantDetails } from './instant.tsx';
import { RangeDetails } from './range.tsx';
import { SliceDetails } from './slice.tsx';
import { panelTexts } from './texts.ts';

export function DetailsPanel() {
  const range = markedRange.value;
  const slice = detail.value;
  const instant = slice === undefined ? shownInstant.value : undefined;
  if (range === null && slice === undefined && instant === undefined) {
    return <Nothing>{panelTexts.nothingSelected}</Nothing>;
  }
  return (
    <>
      {slice === undefined ? null : <SliceDetails slice={slice} />}
      {instant === undefined ? null : <InstantDetails instant={instant} />}
      {range === null ? null : <RangeDetails range={range} />}
    </>
  );
}
