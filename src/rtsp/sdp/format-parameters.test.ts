import { describe, expect, it } from 'vitest';
import { addFormatParameters, MAX_FORMAT_PARAMETERS } from './format-parameters.ts';

function read(text: string): Record<string, string> {
  const parameters = new Map<string, string>();
  addFormatParameters(parameters, text);
  return Object.fromEntries(parameters);
}

describe('format parameters', () => {
  it.each([
    ['as in the standard', 'a=1;b=2', { a: '1', b: '2' }],
    ['spaces around everything', ' a = 1 ; b = 2 ', { a: '1', b: '2' }],
    ['trailing semicolon', 'a=1;b=2;', { a: '1', b: '2' }],
    ['doubled semicolon', 'a=1;;b=2', { a: '1', b: '2' }],
    ['missing semicolon', 'a=1 b=2;c=3', { a: '1', b: '2', c: '3' }],
    ['upper-case names', 'Config=1408;SizeLength=13', { config: '1408', sizelength: '13' }],
    ['Base64 padding', 'sprop=Zw==,aA==', { sprop: 'Zw==,aA==' }],
    ['a space after the comma of Base64', 'sprop=Zw==, aA==;m=1', { sprop: 'Zw==,aA==', m: '1' }],
    ['a space before it', 'sprop=Zw== ,aA==;m=1', { sprop: 'Zw==,aA==', m: '1' }],
    ['a name without value', 'flag;a=1', { flag: '', a: '1' }],
    ['a repeated name', 'a=1;A=2', { a: '1' }],
    ['nothing', '', {}],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('are limited in number', () => {
    const text = Array.from({ length: MAX_FORMAT_PARAMETERS * 2 }, (_, index) => `p${index}=1`).join(';');
    expect(Object.keys(read(text))).toHaveLength(MAX_FORMAT_PARAMETERS);
  });
});
