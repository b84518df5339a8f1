import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codeParts } from './code-parts.ts';

const text = (part: string) => ({ text: part, isCode: false });
const code = (part: string) => ({ text: part, isCode: true });

it.each([
  [
    'Each says why. `sluice check` tries all.',
    [text('Each says why. '), code('sluice check'), text(' tries all.')],
  ],
  ['`a` or `b`', [code('a'), text(' or '), code('b')]],
  ['nothing of it', [text('nothing of it')]],
  ['one ` alone', [text('one ` alone')]],
  ['``', [text('``')]],
  ['`a` and ` b', [code('a'), text(' and ` b')]],
  ['`<b>`', [code('<b>')]],
  ['', []],
])('%s', (sentence, parts) => {
  expect(codeParts(sentence)).toEqual(parts);
});

it('loses nothing of any text', () => {
  const typed = fc.string({ unit: fc.constantFrom('`', 'a', ' ', '<') });
  fc.assert(
    fc.property(typed, (sentence) => {
      const shown = codeParts(sentence).map((part) => (part.isCode ? `\`${part.text}\`` : part.text));
      expect(shown.join('')).toBe(sentence);
    }),
  );
});
