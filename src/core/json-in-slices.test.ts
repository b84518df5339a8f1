import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { MAX_NESTING, MAX_PIECE_CHARS, parseJsonInSlices } from './json-in-slices.ts';

const FILLER = 'x'.repeat(MAX_PIECE_CHARS + 1);
const long = (json: string) => json.replaceAll('FILLER', JSON.stringify(FILLER));
const zeros = `${'0,'.repeat(MAX_PIECE_CHARS)}0`;

describe('JSON in slices', () => {
  it.each([
    '{"rows":[FILLER,1,{"a":FILLER},[],"",null],"n":-1.5e3}',
    ' \n[ FILLER , [ FILLER ] , {"a" : FILLER , "b":[1,2]} ]\t',
    '{"a":1,"b":FILLER,"a":2,"__proto__":{"c":FILLER},"é\\"\\\\":[FILLER]}',
    'FILLER',
    `[${zeros}]`,
    `{"a":[${zeros}],"b":{"c":[${zeros}]}}`,
    `[${'{"a":"\\\\\\"]},[{"},'.repeat(10_000)}{}]`,
  ])('equals the result of JSON.parse for %.60s', async (template) => {
    const json = long(template);
    const expected = JSON.parse(json);
    expect(await parseJsonInSlices(json)).toEqual(expected);
    expect(JSON.stringify(await parseJsonInSlices(json))).toBe(JSON.stringify(expected));
  });

  it.each([
    '[FILLER,]',
    '[,FILLER]',
    '[FILLER,,1]',
    '[FILLER}',
    '{"a":FILLER]',
    '{"a":FILLER,}',
    '{,"a":FILLER}',
    '{"a" FILLER}',
    '{1:FILLER}',
    '{FILLER:1}}',
    '[FILLER]]',
    '[FILLER][1]',
    '[FILLER',
    '[FILLER 1]',
    '[[FILLER,{]}]',
    `[${zeros},]`,
    `[${zeros}`,
    `{"a":[${zeros}],}`,
    `["${FILLER}]`,
    `${'['.repeat(MAX_NESTING + 2)}FILLER${']'.repeat(MAX_NESTING + 2)}`,
    '['.repeat(1_000_000),
  ])('refuses %.60s', async (template) => {
    await expect(parseJsonInSlices(long(template))).rejects.toThrow(SyntaxError);
  });

  it('agrees with JSON.parse on whatever is removed, duplicated or inserted', async () => {
    const base = long(
      '{"rows":[{"a":[1,2,{"b":"\\"]"}]},FILLER,{"c":{"d":FILLER,"e":[]}}],"f":[null,FILLER]}',
    );
    // Within the fillers, every position is alike.
    const places = [...base.replaceAll(FILLER, '*')].map((_, at) => at);
    const edit = fc.record({
      at: fc.constantFrom(...places),
      cut: fc.integer({ min: 0, max: 3 }),
      put: fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '1', ' ', '\\'),
    });
    const short = base.replaceAll(FILLER, '*');
    const property = fc.asyncProperty(edit, async ({ at, cut, put }) => {
      const json = (short.slice(0, at) + put + short.slice(at + cut)).replaceAll('*', FILLER);
      const outcome = await parseJsonInSlices(json).catch((error: unknown) => error);
      let expected: unknown;
      try {
        expected = JSON.parse(json);
      } catch {
        expect(outcome).toBeInstanceOf(SyntaxError);
        return;
      }
      expect(outcome).toEqual(expected);
    });
    await fc.assert(property, randomRuns(50));
  });

  it('yields to the event loop', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await parseJsonInSlices(`[${`${zeros},`.repeat(7)}0]`);
    clearImmediate(next);
    // Read once to find the commas, once to parse: about half a piece at a time.
    expect(turns).toBeGreaterThan(2 * 7 * 2);
  });
});
