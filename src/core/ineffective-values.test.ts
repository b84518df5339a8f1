import { describe, expect, it } from 'vitest';
import { IneffectiveValues, NO_EFFECT, type NoEffect } from './ineffective-values.ts';
import type { FieldSchema } from './unknown-fields.ts';

const field = (noEffect: NoEffect, schema: FieldSchema = {}) => ({ ...schema, [NO_EFFECT]: noEffect });
const KEPT = { kept: 'nothing reads it' };
const RECORD = {
  properties: {
    flag: field(KEPT),
    text: field({ ignored: 'nothing asks for it' }),
    map: field({ kept: 'there is one', except: ['v0'] }, { additionalProperties: {} }),
    needy: field({ needs: 'text' }),
    picky: field({ needs: 'mode', being: 'A' }),
    older: field({ yieldsTo: 'newer' }),
    flagged: field(KEPT),
    flaggedUpdated: {},
  },
};
const SCHEMA = {
  properties: {
    ...RECORD.properties,
    list: { items: RECORD },
    byName: { additionalProperties: RECORD },
    plain: { properties: { text: {} } },
  },
};

function sentencesFor(...values: unknown[]): string[] {
  const ineffective = new IneffectiveValues();
  for (const value of values) ineffective.look(SCHEMA, value);
  return ineffective.sentences;
}

describe('values without effect', () => {
  it.each<[unknown, string[]]>([
    [{}, []],
    [null, []],
    [{ flag: false, text: '', map: {}, needy: null, plain: { text: 'x' } }, []],
    [{ flag: true }, ['flag is stored but has no effect: nothing reads it.']],
    [{ flag: 0 }, ['flag is stored but has no effect: nothing reads it.']],
    [{ text: 'x' }, ['text is ignored: nothing asks for it.']],
    [{ map: { v0: 1 } }, []],
    [{ map: { v0: 1, v1: 0 } }, ['map.v1 is stored but has no effect: there is one.']],
    [{ needy: 1 }, ['needy has no effect without text.']],
    [{ needy: 1, text: 'x' }, ['text is ignored: nothing asks for it.']],
    [{ picky: 1, mode: 'B' }, ['picky has no effect without mode A.']],
    [{ picky: 1, mode: 'A' }, []],
    [{ older: 1 }, []],
    [{ older: 1, newer: [] }, []],
    [{ older: 1, newer: [2] }, ['older is ignored because newer is given.']],
    [{ flagged: 1 }, []],
    [{ flagged: 1, flaggedUpdated: true }, ['flagged is stored but has no effect: nothing reads it.']],
    [
      { byName: { '\u001b[31m': { flag: true } } },
      ['byName.??31m.flag is stored but has no effect: nothing reads it.'],
    ],
  ])('of %j', (value, sentences) => expect(sentencesFor(value)).toEqual(sentences));

  it('are named together where they share a reason, once for all entries of a list', () => {
    expect(sentencesFor({ flag: 1, list: [{}, { flag: 1 }, { flag: 2 }] }, { flag: 1 })).toEqual([
      'flag and list[1].flag are stored but have no effect: nothing reads it.',
    ]);
  });

  it('are named up to five', () => {
    const map = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`a${index}`, 1]));
    expect(sentencesFor({ map })).toEqual([
      'map.a0, map.a1, map.a2, map.a3, map.a4 and others are stored but have no effect: there is one.',
    ]);
  });
});
