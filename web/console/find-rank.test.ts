import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../../src/core/folded-text.ts';
import { fold, rankOf, searchedOf, tokensOf } from './find-rank.ts';

const rank = (typed: string, title: string, detail = '') =>
  rankOf(tokensOf(typed), searchedOf(title, detail));

/** Names that match, best first. */
function found(typed: string, titles: readonly string[]): readonly string[] {
  return titles
    .flatMap((title) => {
      const score = rank(typed, title);
      return score === null ? [] : [{ title, score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ title }) => title);
}

test.each([
  ['Entrée', 'entree'],
  ['STRASSE', 'straße'],
  ['Łódź', 'lodz'],
  ['Ærø', 'aero'],
  ['ﬁle', 'file'],
])('%s is %s to a search', (one, other) => {
  expect(fold(one)).toBe(fold(other));
});

test('accents, case, and the order of words do not matter', () => {
  expect(rank('MUNCHEN tor', 'Tor 3', 'München')).not.toBeNull();
  expect(rank('dock north', 'North dock')).not.toBeNull();
  expect(rank('dock south', 'North dock')).toBeNull();
});

test('every word must be somewhere, in the name or next to it', () => {
  expect(rank('harbor gate', 'Gate', 'Harbor')).not.toBeNull();
  expect(rank('harbor yard', 'Gate', 'Harbor')).toBeNull();
});

test('whole words come before beginnings, these before parts, and names before details', () => {
  expect(found('dock', ['Paddock', 'Dockyard', 'Dock'])).toEqual(['Dock', 'Dockyard', 'Paddock']);
  expect(rank('dock', 'Paddock')!).toBeGreaterThan(rank('dock', 'Gate', 'Dock')!);
  expect(found('gate 1', ['Gate 12', 'Gate 1', 'Gate 21'])[0]).toBe('Gate 1');
});

test('the beginnings of words are enough, and one wrong letter is forgiven', () => {
  expect(rank('wd3', 'Warehouse Dock 3')).not.toBeNull();
  expect(rank('warehosue', 'Warehouse')).not.toBeNull();
  expect(rank('warehose', 'Warehouse')).not.toBeNull();
  expect(rank('wharehouse', 'Warehouse')).not.toBeNull();
  expect(rank('wxrexouse', 'Warehouse')).toBeNull();
  // Too short to be a slip of the finger.
  expect(rank('gat', 'Cat')).toBeNull();
  expect(found('dock', ['Dick', 'Dock'])).toEqual(['Dock', 'Dick']);
});

test('nothing typed matches everything alike', () => {
  expect(tokensOf('  ')).toEqual([]);
  expect(rank('', 'Gate')).toBe(rank(' ', 'Yard'));
});

test('a name is found by itself, and no text fails', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, other) => {
      expect(rank(name, name, other)).not.toBeNull();
      rank(other, name);
    }),
  );
});

test('the gateway, which searches shares, folds text alike', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(fold(text)).toBe(foldText(text));
    }),
  );
  for (const text of ['Straße', 'ŁÓDŹ', 'İstanbul', 'ǅ', 'Æther']) expect(fold(text)).toBe(foldText(text));
});
