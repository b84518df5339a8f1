import { expect, it } from 'vitest';
import type { AccessUnit, Track } from '../codec/track.ts';
import { KeyDistance } from './key-distance.ts';

const TRACKS = [
  { kind: 'audio', timescaleHz: 8_000 },
  { kind: 'video', timescaleHz: 90_000 },
] as unknown as readonly Track[];

function unit(dtsTicks: number, isKey = true, trackIndex = 1): AccessUnit {
  return { trackIndex, dtsTicks, ptsTicks: dtsTicks, isKey, data: new Uint8Array(), arrivalMonoMs: 0 };
}

it('is the time between the last two key frames of the video', () => {
  const keys = new KeyDistance();
  keys.unit(unit(0));
  keys.tracks(TRACKS);
  for (const each of [unit(0), unit(8_000, true, 0), unit(90_000, false)]) keys.unit(each);
  expect(keys.distanceMs).toBeNull();
  keys.unit(unit(180_000));
  expect(keys.distanceMs).toBe(2_000);
  keys.tracks(TRACKS);
  keys.unit(unit(270_000));
  expect(keys.distanceMs).toBe(1_000);
});

it('knows nothing about a new timeline', () => {
  const keys = new KeyDistance();
  keys.tracks(TRACKS);
  for (const ticks of [0, 90_000]) keys.unit(unit(ticks));
  keys.restart();
  expect(keys.distanceMs).toBeNull();
  keys.unit(unit(900_000));
  expect(keys.distanceMs).toBeNull();
});
