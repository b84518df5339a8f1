import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { clipsToDelete, type KeptClip } from './clip-retention.ts';

const NOW_MS = 1_000_000;

function clip(ageMs: number, byteLength: number): KeptClip {
  return { orgUuid: newRuuid(), clipUuid: newRuuid(), madeAtMs: NOW_MS - ageMs, byteLength, alertUuid: null };
}

it('deletes clips that are too old, and the oldest of those that are too much', () => {
  const [young, middle, old, ancient] = [clip(1, 10), clip(50, 10), clip(100, 10), clip(101, 10)];
  const all = [middle!, ancient!, young!, old!];
  const gone = (keepMs: number, maxBytes: number | null) => clipsToDelete(all, { keepMs, maxBytes }, NOW_MS);
  expect(gone(1_000, null)).toEqual([]);
  expect(gone(100, null)).toEqual([ancient]);
  expect(gone(1_000, 40)).toEqual([]);
  expect(gone(1_000, 39)).toEqual([ancient]);
  expect(gone(100, 20)).toEqual([ancient, old]);
  expect(gone(1_000, 0)).toEqual([ancient, old, middle, young]);
});
