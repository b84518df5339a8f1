import { describe, expect, it } from 'vitest';
import { didYouMean, parseOptions, UsageError } from './command-options.ts';

const OPTIONS = { config: { type: 'string' }, timeout: { type: 'string', default: '12' } } as const;

const refusal = (...args: string[]): string => {
  try {
    parseOptions('check', args, OPTIONS);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  throw new Error(`${args} is taken`);
};

describe('parseOptions', () => {
  it('reads options and their defaults', () => {
    expect(parseOptions('check', ['--config', 'a.yaml'], OPTIONS).values).toEqual({
      config: 'a.yaml',
      timeout: '12',
    });
    expect(parseOptions('keys', ['make'], OPTIONS, 'some').positionals).toEqual(['make']);
  });

  it.each([
    [['--cofnig', 'x'], 'Unknown option --cofnig. Did you mean "--config"?'],
    [['--Timeout=3'], 'Unknown option --Timeout. Did you mean "--timeout"?'],
    [['--frobnicate'], 'Unknown option --frobnicate.'],
    [['--timeout', '3', '-x'], 'Unknown option -x.'],
    [['sluice.yaml'], 'Unexpected argument "sluice.yaml". Did you mean --config sluice.yaml?'],
    [['cameras'], 'Unexpected argument "cameras".'],
  ])('says what is wrong with %j and what was meant', (args, message) => {
    expect(refusal(...args)).toBe(message);
  });

  it('does not repeat the value of an unknown option, which may be a secret', () => {
    expect(refusal('--pasword=hush')).not.toContain('hush');
  });

  it('suggests the right command for a misspelled one', () => {
    expect(didYouMean('chekc', ['serve', 'check'])).toBe(' Did you mean "check"?');
    expect(didYouMean('frobnicate', ['serve', 'check'])).toBe('');
  });
});
