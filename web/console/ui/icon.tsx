/** Icons of the console, drawn on a grid of 24. They are decoration: words repeat their meaning. */

const PATHS = {
  mark: 'M6 3h12a3 3 0 0 1 3 3v12a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3zm4 5.5v7l6-3.5z',
  camera: 'M3 7h12v10H3zM15 10.5l6-3v9l-6-3',
  site: 'M12 21s-7-6.2-7-11.5a7 7 0 0 1 14 0C19 14.800 12 21 12 21zM14.500 9.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0z',
  recorder: 'M3 6h18v12H3zM3 13h18M7 15.500h.01M11 15.500h6',
  case: 'M4 8h16v11H4zM9 8V5h6v3M4 13h6M14 13h6M10 11.500h4v3h-4z',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  share:
    'M9 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm12-6a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm0 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM8.6 10.6l6.8-3.2M8.6 13.4l6.8 3.2',
  schedule: 'M4 5h16v15H4zM4 9h16M8 3v4M16 3v4M8 13h3v3H8z',
  timeline: 'M3 12h18M7 8v8M12 5v14M17 9v6',
  wall: 'M3 4h8v7H3zM13 4h8v7h-8zM3 13h8v7H3zM13 13h8v7h-8z',
  alert: 'M12 3l9 16H3zM12 10v4M12 16.5v.5',
  emergency: 'M5 19h14M7 19v-6a5 5 0 0 1 10 0v6M12 3v2M4.500 6.500l1.500 1.500M19.500 6.500L18 8',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  door: 'M6 21V3h12v18M3 21h18M14 12h1',
  key: 'M14 10a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM13 12.5l7 7M17 16.5l2-2',
  people:
    'M12 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM2 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 5a3.5 3.5 0 0 1 0 6.5M17.5 14.5c2.6.6 4.5 2.5 4.5 5.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20.5c0-4.4 3.6-6.5 8-6.5s8 2.1 8 6.5',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4.5v5M6 14.5v5',
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l1.500 2h-15zM10 21h4',
  mail: 'M3 6h18v12H3zM3 7l9 6.5L21 7',
  levels: 'M4 18a8 8 0 1 1 16 0M12 18l4-6M4 18h1.5M18.5 18H20M12 10V8.5',
  system: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  search: 'M16 10.5a5.500 5.500 0 1 1-11 0 5.500 5.500 0 0 1 11 0zM14.600 14.600L20 20',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M9 5v14',
  compact: 'M4 6h16M4 10h16M4 14h16M4 18h16',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  earlier: 'M6 15l6-6 6 6',
  later: 'M6 9l6 6 6-6',
  copy: 'M8 8h12v12H8zM4 16V4h12',
  bookmark: 'M6 4h12v16l-6-4.5L6 20z',
  scissors: 'M9 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM9 17a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM8.4 9l12 9.5M8.4 15l12-9.5',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 19.5h14',
  up: 'M6 14l6-6 6 6',
  down: 'M6 10l6 6 6-6',
  left: 'M14 6l-6 6 6 6',
  right: 'M10 6l6 6-6 6',
  minus: 'M5 12h14',
  record: 'M12 18a6 6 0 1 0 0-12 6 6 0 0 0 0 12z',
  snapshot: 'M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z',
  fullscreen: 'M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5',
  smaller: 'M4 9h5V4M20 9h-5V4M4 15h5v5M20 15h-5v5',
  window: 'M11 19H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v4M13 14h8v5h-8z',
  sound: 'M4 9.5v5h3.2L12 18.6V5.4L7.2 9.5zM15.2 9a4.2 4.2 0 0 1 0 6M17.8 6.4a7.9 7.9 0 0 1 0 11.2',
  talk: 'M12 15a3 3 0 0 0 3-3V6a3 3 0 1 0-6 0v6a3 3 0 0 0 3 3zM5.500 11.500a6.500 6.500 0 0 0 13 0M12 18v3M8.500 21h7',
  silent: 'M4 9.5v5h3.2L12 18.6V5.4L7.2 9.5zM15.6 9.2l5.6 5.6M21.2 9.2l-5.6 5.6',
  play: 'M8 5.5v13l10.5-6.5z',
  tool: 'M20 7a4.500 4.500 0 0 1-6 5.500L7.500 19a2 2 0 0 1-2.800-2.800L11 9.800A4.500 4.500 0 0 1 16.500 4L14 6.500l.7 2.800 2.800.7z',
  pause: 'M8 5.5v13M16 5.5v13',
  check: 'M5 12.5l4.5 4.5L19 7.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
