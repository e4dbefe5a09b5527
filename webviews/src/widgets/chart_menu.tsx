// The actions every chart has: table twin, save as picture.
import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { announce } from '../host/store.ts';
import { IconButton } from './controls.tsx';
import { MenuButton } from './menu_button.tsx';
import { TableMenu } from './table_menu.tsx';
import { widgetTexts } from './texts.ts';

export function ChartMenu(props: {
  name: string;
  chart: RefObject<HTMLElement | null>;
  asTable: Signal<boolean>;
  /** Charts drawn on a canvas have no SVG form. */
  pngOnly?: boolean;
}) {
  const save = async (kind: 'svg' | 'png'): Promise<void> => {
    const root = props.chart.current;
    const svg = root?.querySelector<SVGSVGElement>('svg.chart');
    const canvas = root?.querySelector<HTMLCanvasElement>('canvas');
    const chart = svg ?? canvas;
    if (chart === null || chart === undefined) {
      announce(widgetTexts.noChart);
      return;
    }
    // Few save a chart: the script that does is read when somebody wants to.
    const { savePng, saveSvg } = await import('./save_chart.ts');
    if (kind === 'svg' && chart instanceof SVGSVGElement) saveSvg(chart, props.name);
    else await savePng(chart, props.name);
  };
  return (
    <span class="quiet-tools">
      <IconButton
        icon="table"
        pressed={props.asTable.value}
        label={widgetTexts.asTable(props.name)}
        title={props.asTable.value ? widgetTexts.showAsChart : widgetTexts.showAsTable}
        onClick={() => (props.asTable.value = !props.asTable.value)}
      />
      {props.asTable.value ? (
        <TableMenu name={props.name} place={props.chart} />
      ) : (
        <MenuButton
          label={widgetTexts.save}
          icon="save"
          items={[
            ...(props.pngOnly === true
              ? []
              : [{ label: widgetTexts.saveAsSvg, run: () => void save('svg') }]),
            { label: widgetTexts.saveAsPng, run: () => void save('png') },
          ]}
        />
      )}
    </span>
  );
}
