import { describe, expect, it } from 'vitest';
import { threadMs } from '../../test/support/thread-time.ts';
import { memberNames, parseJsonInSlices } from './json-in-slices.ts';
import { UnknownFields } from './unknown-fields.ts';

const SCHEMA = { properties: { name: {}, list: { items: { properties: { start: {} } } } } };

function sentenceFor(value: unknown): string | null {
  const unknown = new UnknownFields();
  unknown.look(SCHEMA, value);
  return unknown.sentence;
}

const named = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => `"n${index}":${value}`).join();

function medianMs(work: () => void): number {
  const times = Array.from({ length: 7 }, () => threadMs(work));
  return times.toSorted((a, b) => a - b)[3]!;
}

describe('unknown fields', () => {
  it.each([
    [{ name: 'x', list: [{ start: 1 }] }, null],
    [{ nmae: 'x' }, 'Unknown fields are ignored: nmae (did you mean name?).'],
    [{ list: [{ start: 1 }, { stop: 1 }, { stop: 2 }] }, 'Unknown fields are ignored: list[1].stop.'],
    [{ nmae: null }, null],
  ])('of %j', (value, sentence) => expect(sentenceFor(value)).toBe(sentence));

  it('are told of although the only one with a value comes behind a thousand that are null', () => {
    const flood = JSON.parse(`{${named(1_000, 'null')},"nmae":1}`);
    expect(sentenceFor(flood)).toBe('Unknown fields are ignored.');
    expect(sentenceFor(JSON.parse(`{"nmae":1,${named(1_000, 'null')}}`))).toBe(
      'Unknown fields are ignored: nmae (did you mean name?), and others.',
    );
  });

  it('of a megabyte cost next to nothing, because nobody lists them', async () => {
    const body = (await parseJsonInSlices(`{"list":[{"stop":1}],${named(80_000, '1')}}`)) as object;
    expect(sentenceFor(body)).toBe('Unknown fields are ignored: list[0].stop, n0, n1, n2, n3, and others.');
    const listing = medianMs(() => Object.keys(body));
    expect(medianMs(() => sentenceFor(body))).toBeLessThan(listing / 4);
  });
});

describe('member names', () => {
  it('are those of the object, in their order, also of one that was parsed in slices', async () => {
    const text = `{${named(10_000, '"0123"')},"__proto__":1,"7":2}`;
    const names = memberNames((await parseJsonInSlices(text)) as object);
    expect([...names].sort()).toEqual(Object.keys(JSON.parse(text)).sort());
    expect(memberNames({ b: 1, a: 2 })).toEqual(['b', 'a']);
  });
});
