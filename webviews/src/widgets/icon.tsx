// Small pictures beside words, drawn as VS Code draws its own.
const paths = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  warning: 'M8 2.2L14.5 13.5h-13z M8 6.5v3.6 M8 11.6v.6',
  close: 'M4 4l8 8 M12 4l-8 8',
  chip: 'M4.5 4.5h7v7h-7z M6.5 2v2.5 M9.5 2v2.5 M6.5 11.5V14 M9.5 11.5V14 M2 6.5h2.5 M2 9.5h2.5 M11.5 6.5H14 M11.5 9.5H14',
  chevron: 'M6 4l4 4-4 4',
} as const;

export function Icon(props: { name: keyof typeof paths }) {
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
