import './page-address-fixture.ts';
import { expect, test, vi } from 'vitest';
import { type CameraDeeds, cameraKeys } from './camera-keys.ts';
import { WHOLE, zoomedBy } from './camera-zoom.ts';
import { type KeyDeed, keyName, type Press, pressed } from './key-board.ts';
import { type KeyParts, timelineKeys } from './timeline-keys.ts';

vi.stubGlobal('localStorage', { getItem: () => null });
const { MENU_PAGES } = await import('./pages.ts');

const press = (key: string): Press => ({
  key,
  code: '',
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  repeat: false,
});

/** Keys of the table that do nothing in any of the states. */
function idle(tables: readonly (readonly KeyDeed[])[]): readonly string[] {
  const listed = new Set(tables.flat().flatMap(({ title, keys }) => keys.map((key) => `${title}: ${key}`)));
  for (const table of tables) {
    for (const deed of table) {
      for (const key of deed.keys) if (pressed([deed], press(key))) listed.delete(`${deed.title}: ${key}`);
    }
  }
  return [...listed];
}

function expectNames(table: readonly KeyDeed[]): void {
  for (const { title, keys } of table) {
    expect(title).not.toBe('');
    for (const key of keys) expect(keyName(press(key))).toBe(key);
  }
}

const deeds = (state: object, isFilled = false): CameraDeeds =>
  ({
    view: {
      isLive: true,
      zoom: WHOLE,
      headMs: 0,
      setZoom: vi.fn(),
      seek: vi.fn(),
      togglePlay: vi.fn(),
      goLive: vi.fn(),
      toggleSound: vi.fn(),
      ...state,
    },
    full: { isFilled, toggle: vi.fn() },
    ptz: {
      state: { presets: Array.from({ length: 9 }, (_, i) => ({ presetToken: String(i), name: '' })) },
      held: { hold: vi.fn(), release: vi.fn() },
      goTo: vi.fn(),
    },
    snapshot: vi.fn(),
    record: vi.fn(),
  }) as unknown as CameraDeeds;

test('each listed key of a camera acts in a state that its words name', () => {
  const states = [deeds({}, true), deeds({ isLive: false }), deeds({ zoom: zoomedBy(WHOLE, 2) })];
  expect(idle(states.map(cameraKeys))).toEqual([]);
  expectNames(cameraKeys(states[0]!));
});

test('arrows belong to the zoomed picture first, then to the past, then to the camera', () => {
  const acting = (state: object) =>
    cameraKeys(deeds(state)).findLast((deed) => pressed([deed], press('ArrowLeft')))?.title;
  expect(acting({ zoom: zoomedBy(WHOLE, 2), isLive: false })).toBe('Move the zoomed picture');
  expect(acting({ isLive: false })).toBe('In the past: 10 s back, 10 s on');
  expect(acting({})).toBe('Move the camera while held');
});

test('someone who may not record or move a camera has no keys for it', () => {
  const { ptz, ...rest } = deeds({});
  const titles = cameraKeys({ ...rest, ptz: { ...ptz, state: null }, record: null }).map(
    ({ title }) => title,
  );
  expect(titles).not.toContain('Record now');
  expect(titles).not.toContain('Go to a preset');
});

test('each listed key of the time axis acts', () => {
  const parts = {
    player: { head: { value: { kind: 'past', isPlaying: true } }, setPlaying: vi.fn(), live: vi.fn() },
    view: { startMs: 0, spanMs: 3_600_000 },
    headMs: 1_800_000,
    nowMs: 3_600_000,
    cut: null,
    setCut: vi.fn(),
    bookmark: vi.fn(),
    setView: vi.fn(),
    seek: vi.fn(),
  } as unknown as KeyParts;
  expect(idle([timelineKeys(parts)])).toEqual([]);
  expectNames(timelineKeys(parts));
  const without = timelineKeys({ ...parts, setCut: null, bookmark: null }).map(({ title }) => title);
  expect(without).not.toContain('Bookmark');
  expect(without).not.toContain('A clip begins here');
});

test('each page of the menu has a key of its own', () => {
  const keys = MENU_PAGES.map(({ menu }) => menu.key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^[a-z]$/);
});
