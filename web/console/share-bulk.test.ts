import { expect, test, vi } from 'vitest';

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { planOf } = await import('./share-bulk.ts');
const { shareItem } = await import('./share-item.ts');

const NOW_MS = 1_800_000_000_000;
const HOUR_SEC = 3_600;
const nowSec = NOW_MS / 1_000;

const share = (expirationTime?: number) =>
  shareItem({
    kind: 'STREAM',
    uuid: 'share',
    name: 'Gate',
    cameraName: 'Gate',
    timeZones: [],
    locationName: '',
    state: 'VISIBLE',
    viewerCount: 0,
    invertSchedule: false,
    passwordProtected: false,
    vodEnabled: false,
    createdAtMs: 0,
    creatorLeft: false,
    ssoProtected: false,
    showsUnmasked: false,
    ...(expirationTime === undefined ? {} : { expirationTime }),
    pageUrl: '',
  });

test('an end is taken back to what it was', () => {
  const later = nowSec + HOUR_SEC;
  expect(planOf({ kind: 'end' }, share(later), NOW_MS)).toMatchObject({
    step: { kind: 'end', endSec: 1 },
    undo: { kind: 'end', endSec: later },
  });
  expect(planOf({ kind: 'end' }, share(), NOW_MS).undo).toEqual({ kind: 'end', endSec: null });
});

test('what has ended is not ended again', () => {
  expect(planOf({ kind: 'end' }, share(nowSec - 1), NOW_MS)).toMatchObject({ step: null, undo: null });
});

test('an extension never shortens', () => {
  const extend = { kind: 'extend', endSec: nowSec + HOUR_SEC } as const;
  expect(planOf(extend, share(), NOW_MS).step).toBeNull();
  expect(planOf(extend, share(nowSec + 2 * HOUR_SEC), NOW_MS).step).toBeNull();
  expect(planOf(extend, share(nowSec + 60), NOW_MS).step).toEqual({ kind: 'end', endSec: extend.endSec });
  expect(planOf({ kind: 'extend', endSec: null }, share(nowSec + 60), NOW_MS).step).toEqual({
    kind: 'end',
    endSec: null,
  });
});

test('an extension of what had ended is taken back by ending it', () => {
  const extend = { kind: 'extend', endSec: nowSec + HOUR_SEC } as const;
  expect(planOf(extend, share(nowSec - 60), NOW_MS).undo).toEqual({ kind: 'end', endSec: 1 });
});

test('a deletion is not taken back', () => {
  expect(planOf({ kind: 'delete' }, share(), NOW_MS).undo).toBeNull();
});
