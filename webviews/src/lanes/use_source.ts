// A source of boxes for a component: in the colors of the theme, and gone with it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { themeSerial } from '../widgets/theme.ts';
import { readPalette, type Palette } from './palette.ts';
import { WindowSource, type BoxShape, type WindowReader } from './source.ts';

/**
 * Draws the component again whenever boxes were read or the theme changed. All three arguments are
 * those of the first call; `shape` and `read` as of WindowSource.
 */
export function useWindowSource(
  failed: (error: unknown) => void,
  shape?: BoxShape,
  read?: WindowReader,
): { source: WindowSource; palette: Palette } {
  const [, setSerial] = useState(0);
  const redraw = (): void => setSerial((serial) => serial + 1);
  const theme = themeSerial.value;
  const palette = useMemo(readPalette, [theme]);
  const colors = useRef(palette);
  colors.current = palette;
  const source = useMemo(
    () => new WindowSource(() => colors.current, redraw, failed, shape, read),
    [],
  );
  useEffect(() => () => source.clear(), []);
  useEffect(() => {
    source.recolor();
    redraw();
  }, [palette]);
  return { source, palette };
}
