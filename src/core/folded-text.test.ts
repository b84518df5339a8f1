import { describe, expect, it } from 'vitest';
import { foldText, hasWords, searchWords } from './folded-text.ts';

describe('foldText', () => {
  it.each([
    ['Entrée', 'entree'],
    ['STRASSE', 'straße'],
    ['Łódź', 'lodz'],
    ['ﬁle', 'file'],
    ['Hall 3', 'hall 3'],
  ])('%s is %s', (one, other) => {
    expect(foldText(one)).toBe(foldText(other));
  });
});

describe('hasWords', () => {
  it('finds all words, in any order, also parts of words', () => {
    expect(hasWords('North dock München', searchWords('  MUNCH dock '))).toBe(true);
    expect(hasWords('North dock', searchWords('dock south'))).toBe(false);
    expect(hasWords('North dock', searchWords(' '))).toBe(true);
  });
});
