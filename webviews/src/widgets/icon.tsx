// Small pictures beside words, drawn as VS Code draws its own.
const paths = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  warning: 'M8 2.2L14.5 13.5h-13z M8 6.5v3.6 M8 11.6v.6',
  close: 'M4 4l8 8 M12 4l-8 8',
  chip: 'M4.5 4.5h7v7h-7z M6.5 2v2.5 M9.5 2v2.5 M6.5 11.5V14 M9.5 11.5V14 M2 6.5h2.5 M2 9.5h2.5 M11.5 6.5H14 M11.5 9.5H14',
  chevron: 'M6 4l4 4-4 4',
  plus: 'M8 3v10 M3 8h10',
  minus: 'M3 8h10',
  fit: 'M6 2.5H2.5V6 M10 2.5h3.5V6 M6 13.5H2.5V10 M10 13.5h3.5V10',
  arrow: 'M2.5 3.5h4v9h6.5 M10.5 10l2.5 2.5-2.5 2.5',
  reset: 'M3 2.5v4h4 M3.3 6.3a5.3 5.3 0 1 1-.4 4',
  image: 'M2.5 3h11v10h-11z M2.5 11l3.2-3.2 2.8 2.8 1.7-1.7 3.3 3.1 M10.5 5.5v1',
  link: 'M7 10l-1.6 1.6a2.3 2.3 0 0 1-3.2-3.2L5 5.6a2.3 2.3 0 0 1 3.2 0 M9 6l1.6-1.6a2.3 2.3 0 0 1 3.2 3.2L11 10.4a2.3 2.3 0 0 1-3.2 0',
  keyboard: 'M1.5 4h13v8h-13z M4 6.5h.8 M7.6 6.5h.8 M11.2 6.5h.8 M4.5 9.5h7',
  table: 'M2 3h12v10H2z M2 6.5h12 M6.5 6.5V13',
  graph: 'M2.5 2.5v11h11 M5.5 11V8 M8.5 11V5 M11.5 11V6.5',
  save: 'M2.5 2.5h9l2 2v9h-11z M5 2.5v3.5h5V2.5 M4.8 13.5V9h6.4v4.5',
  export: 'M8.5 2.5h-6v11h11v-6 M10.5 2.5h3v3 M13.2 2.8L7.5 8.5',
  copy: 'M5.5 5.5h8v8h-8z M3 10.5h-.5v-8h8V3',
  info: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 1 1 0-12.4 M8 7.2v4 M8 4.6v.8',
  up: 'M8 13V3 M4 7l4-4 4 4',
  down: 'M8 3v10 M4 9l4 4 4-4',
  pin: 'M9.5 2.5l4 4-2.5.9-2.2 3.1.4 2.2-5.9-5.9 2.2.4 3.1-2.2z M6.2 9.8L2.5 13.5',
  side: 'M2 3h12v10H2z M8.5 3v10',
} as const;

export type IconName = keyof typeof paths;

export function Icon(props: { name: IconName }) {
  return (
    <svg
      class={`icon icon-${props.name}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d={paths[props.name]} fill="none" stroke="currentColor" stroke-linejoin="round" />
    </svg>
  );
}
