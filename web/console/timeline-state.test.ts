import { describe, expect, test, vi } from 'vitest';

// Places are those of the document.
vi.stubGlobal('document', { baseURI: 'http://gateway.example/console/' });
const {
  camerasOf,
  coverageAt,
  isAnyRecorded,
  isPicturesOnly,
  mayNvrChange,
  missingMs,
  nextRecorded,
  waitingForNvr,
  withNvr,
  failedNvrs,
} = await import('./timeline-state.ts');

const recorded = {
  range: { fromMs: 0, toMs: 1_000_000 },
  byCamera: new Map([
    [
      'dock',
      [
        { fromMs: 100_000, toMs: 200_000 },
        { fromMs: 300_000, toMs: 490_000 },
      ],
    ],
    ['gate', [{ fromMs: 250_000, toMs: 400_000 }]],
  ]),
  picturesOnly: new Map(),
  isExact: true,
  nowMs: 500_000,
};

describe('what is known of a camera', () => {
  test.each([
    ['dock', 150_000, 'recorded'],
    ['dock', 200_000, 'gap'],
    // It is still being recorded: its newest seconds are listed later.
    ['dock', 499_000, 'recorded'],
    ['gate', 499_000, 'gap'],
    ['gate', 2_000_000, 'unknown'],
    ['another', 150_000, 'unknown'],
  ] as const)('%s at %i: %s', (camera, atMs, coverage) => {
    expect(coverageAt(recorded, camera, atMs)).toBe(coverage);
  });

  test('nothing, before it was read', () => {
    expect(coverageAt(null, 'dock', 150_000)).toBe('unknown');
    expect(nextRecorded(null, ['dock'], 0)).toBeNull();
  });

  test('a range without video is known only after it was read', () => {
    expect(isAnyRecorded(recorded)).toBe(true);
    expect(isAnyRecorded({ ...recorded, byCamera: new Map([['dock', []]]) })).toBe(false);
    expect(isAnyRecorded(null)).toBe(true);
  });

  test('where any of them goes on', () => {
    expect(nextRecorded(recorded, ['dock', 'gate'], 200_000)).toBe(250_000);
    expect(nextRecorded(recorded, ['dock'], 200_000)).toBe(300_000);
    expect(nextRecorded(recorded, ['gate'], 450_000)).toBeNull();
  });

  test('how much a clip would miss, if all of its time was read', () => {
    expect(missingMs(recorded, 'dock', { fromMs: 150_000, toMs: 310_000 })).toBe(100_000);
    expect(missingMs(recorded, 'dock', { fromMs: 310_000, toMs: 600_000 })).toBe(0);
    expect(missingMs(recorded, 'gate', { fromMs: 0, toMs: 100_000 })).toBe(100_000);
    const later = { ...recorded, range: { fromMs: 200_000, toMs: 300_000 } };
    expect(missingMs(later, 'dock', { fromMs: 150_000, toMs: 310_000 })).toBeNull();
  });
});

test('cameras of a clip are named without their facets', () => {
  expect(camerasOf({ deviceUuids: ['dock.v0', 'gate'] })).toEqual(['dock', 'gate']);
});

test('of a time in which nothing else is left, there are pictures only', () => {
  const thinned = { ...recorded, picturesOnly: new Map([['dock', [{ fromMs: 100_000, toMs: 120_000 }]]]) };
  const at = [99_999, 100_000, 119_999, 120_000].map((ms) => isPicturesOnly(thinned, 'dock', ms));
  expect(at).toEqual([false, true, true, false]);
  expect(isPicturesOnly(thinned, 'gate', 110_000)).toBe(false);
  expect(isPicturesOnly(null, 'dock', 110_000)).toBe(false);
});

describe('what an NVR has', () => {
  const IDLE = { state: 'idle', waiting: 0, spans: [] } as const;
  const whole = withNvr(
    recorded,
    new Map([['dock', { ...IDLE, spans: [{ fromMs: 150_000, toMs: 250_000 }] }]]),
  );

  test('plays like what the gateway recorded', () => {
    expect(coverageAt(whole, 'dock', 240_000)).toBe('recorded');
    expect(coverageAt(whole, 'dock', 260_000)).toBe('gap');
    expect(nextRecorded(whole, ['dock'], 110_000)).toBe(150_000);
    expect(isAnyRecorded(withNvr({ ...recorded, byCamera: new Map() }, whole!.onNvr!))).toBe(true);
  });

  test('is not missing, and does not count twice', () => {
    expect(missingMs(whole!, 'dock', { fromMs: 100_000, toMs: 300_000 })).toBe(50_000);
  });

  test('can change, be waited for, and be missing', () => {
    const withStates = (onNvr: Parameters<typeof withNvr>[1]) => withNvr(recorded, onNvr);
    const none = new Map([['dock', { ...IDLE, state: 'none' as const }]]);
    const busy = new Map([
      ['dock', { ...IDLE, state: 'waiting' as const, waiting: 2 }],
      ['gate', { ...IDLE, state: 'failed' as const }],
    ]);
    expect([null, none, busy].map(mayNvrChange)).toEqual([false, false, true]);
    expect([null, none, busy].map((each) => waitingForNvr(withStates(each)))).toEqual([0, 0, 2]);
    expect([null, none, busy].map((each) => failedNvrs(withStates(each)))).toEqual([[], [], ['gate']]);
  });

  test('is left out until it is known', () => {
    expect(withNvr(recorded, null)).toBe(recorded);
    expect(withNvr(null, new Map())).toBeNull();
  });
});
