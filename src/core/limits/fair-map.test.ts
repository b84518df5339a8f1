import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FairMap } from './fair-map.ts';
import type { MemoryLimit } from './shared-limit.ts';

const LIMIT = {
  kind: 'memory',
  what: 'notes of a test',
  per: 'process',
  total: 10,
  bytes: 100,
  atLimit: '',
  levels: ['organization', 'link'],
} as const satisfies MemoryLimit;

const A = { organization: 'a', link: 'its link' };

describe('a memory that organizations share', () => {
  it('keeps what one organization has, however much another one adds', () => {
    const notes = new FairMap<number, typeof LIMIT>(LIMIT);
    for (let count = 0; count < 4; count++) notes.set(`a${count}`, A, count);
    for (let count = 0; count < 500; count++) {
      notes.set(`b${count}`, { organization: 'b', link: `link ${count}` }, count);
    }
    expect(Array.from(notes, ([key]) => key)).toEqual([
      'a0',
      'a1',
      'a2',
      'a3',
      'b494',
      'b495',
      'b496',
      'b497',
      'b498',
      'b499',
    ]);
  });

  it('takes from the link that has the most, within its organization', () => {
    const notes = new FairMap<number, typeof LIMIT>(LIMIT);
    notes.set('quiet', { organization: 'b', link: 'quiet' }, 0);
    for (let count = 0; count < 50; count++) notes.set(`b${count}`, { organization: 'b', link: 'greedy' }, 0);
    notes.set('a', A, 0);
    expect([notes.has('quiet'), notes.has('a'), notes.size]).toEqual([true, true, 10]);
  });

  it('bounds bytes in the same way', () => {
    const dropped: string[] = [];
    const notes = new FairMap<number, typeof LIMIT>(LIMIT, { onDropped: (key) => dropped.push(key) });
    notes.set('a', A, 0, 40);
    for (const key of ['b0', 'b1', 'b2']) notes.set(key, { organization: 'b', link: 'link' }, 0, 30);
    expect([notes.byteLength, dropped]).toEqual([100, ['b0']]);
    // Larger than all: nothing stays for it.
    notes.set('b3', { organization: 'b', link: 'link' }, 0, 101);
    expect([Array.from(notes, ([key]) => key), dropped]).toEqual([['a'], ['b0', 'b1', 'b2', 'b3']]);
  });

  it('says in advance what would make room', () => {
    const notes = new FairMap<number, typeof LIMIT>(LIMIT);
    expect(notes.nextToGo(A)).toBeNull();
    for (let count = 0; count < 6; count++) notes.set(`b${count}`, { organization: 'b', link: 'link' }, 0);
    for (let count = 0; count < 4; count++) notes.set(`a${count}`, A, 0);
    expect(notes.nextToGo(A)).toBe('b0');
    expect(notes.nextToGo({ organization: 'b', link: 'link' })).toBe('b0');
    notes.set('a4', A, 0);
    expect(notes.nextToGo(A)).toBe('a0');
    expect(notes.nextToGo({ organization: 'c', link: 'link' })).toBe('b1');
    expect(notes.nextToGo({ ...A, link: 'other' })).toBe('a0');
  });

  it('forgets what was used least recently', () => {
    const notes = new FairMap<number, typeof LIMIT>(LIMIT);
    for (let count = 0; count < 10; count++) notes.set(`a${count}`, A, count);
    expect(notes.touch('a0')).toBe(0);
    notes.set('a10', A, 10);
    expect([notes.get('a0'), notes.get('a1')]).toEqual([0, undefined]);
    notes.clear();
    expect([notes.size, notes.byteLength]).toEqual([0, 0]);
  });

  it('never takes from someone who has less than an equal part', () => {
    const step = fc.record({
      organization: fc.constantFrom('a', 'b', 'c'),
      link: fc.constantFrom('1', '2'),
      key: fc.nat({ max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const organizationOf = new Map<string, string>();
        let atMost = 0;
        const notes = new FairMap<string, typeof LIMIT>(LIMIT, {
          onDropped: (_, organization) => {
            const counts = new Map<string, number>();
            for (const [, each] of notes) counts.set(each, (counts.get(each) ?? 0) + 1);
            const own = (counts.get(organization) ?? 0) + 1;
            atMost = Math.max(atMost, ...[...counts.values()].map((count) => count - own));
          },
        });
        for (const { key, ...holders } of steps) {
          organizationOf.set(String(key), holders.organization);
          notes.set(String(key), holders, holders.organization);
          expect(notes.size).toBeLessThanOrEqual(LIMIT.total);
        }
        expect(atMost).toBeLessThanOrEqual(0);
        for (const [key, organization] of notes) expect(organizationOf.get(key)).toBe(organization);
      }),
      randomRuns(300),
    );
  });
});
