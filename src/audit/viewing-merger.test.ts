import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import {
  MAX_GROWING_ROWS,
  MAX_NAMED_PROGRAMS,
  MERGE_VIEWINGS_MS,
  type Viewing,
  ViewingMerger,
} from './viewing-merger.ts';

const viewed = newRuuid();
const viewing = (more: Partial<Viewing> = {}): Viewing => ({
  action: 'VIEW_SHARE_STREAM',
  viewed,
  address: '192.0.2.1',
  userAgent: 'browser',
  ...more,
});

describe('ViewingMerger', () => {
  it('merges all views of a share from one address and program within ten minutes into one row', () => {
    const clock = new FakeClock();
    const merger = new ViewingMerger(clock);
    const row = merger.add(viewing());
    expect(row).toEqual({ uuid: expect.any(String), userAgent: 'browser' });
    expect(merger.takeGrown()).toEqual([]);
    for (let i = 1; i < 97_000; i++) expect(merger.add(viewing())).toBeNull();
    clock.advance(MERGE_VIEWINGS_MS - 1);
    expect(merger.add(viewing())).toBeNull();
    const grown = { uuid: row!.uuid, occurrences: 97_001, lastAtMs: clock.epochMs() };
    expect(merger.takeGrown()).toEqual([grown]);
    expect(merger.takeGrown()).toEqual([]);
    clock.advance(1);
    expect(merger.add(viewing())).not.toBeNull();
    expect(merger.size).toBe(1);
  });

  it('keeps shares, addresses, programs, arrivals and departures apart, and a /64 together', () => {
    const merger = new ViewingMerger(new FakeClock());
    for (const other of [
      {},
      { viewed: newRuuid() },
      { address: '192.0.2.2' },
      { address: null },
      { address: '2001:db8::1' },
      { userAgent: 'another' },
      { userAgent: null },
      { action: 'VIEW_SHARE_STREAM_END' as const },
    ]) {
      expect(merger.add(viewing(other))).not.toBeNull();
    }
    expect(merger.add(viewing({ address: '2001:db8::2' }))).toBeNull();
  });

  it('names only a few programs of an address, no matter how many names they use', () => {
    const merger = new ViewingMerger(new FakeClock());
    const rows = Array.from({ length: 1_000 }, (_, i) => merger.add(viewing({ userAgent: `program ${i}` })));
    const written = rows.filter((row) => row !== null);
    expect(written).toHaveLength(MAX_NAMED_PROGRAMS + 1);
    expect(written.at(-1)?.userAgent).toBeNull();
    const [{ occurrences } = { occurrences: 0 }] = merger.takeGrown();
    expect(occurrences).toBe(1_000 - MAX_NAMED_PROGRAMS);
  });

  it('lets a limited number of rows grow, the latest', () => {
    const merger = new ViewingMerger(new FakeClock());
    const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
    for (let i = 0; i < MAX_GROWING_ROWS + 5; i++) merger.add(viewing({ address: address(i) }));
    expect(merger.size).toBe(MAX_GROWING_ROWS);
    expect(merger.add(viewing({ address: address(MAX_GROWING_ROWS) }))).toBeNull();
    expect(merger.add(viewing({ address: address(0) }))).not.toBeNull();
  });
});
