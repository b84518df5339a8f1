import { describe, expect, it } from 'vitest';
import { ConfigError, describeProblem } from './errors.ts';
import { parseConfig } from './load-config.ts';

const parse = (targets: string) => parseConfig(`sources: { onvifProbes: [${targets}] }`, 'sluice.yaml', {});

describe('sources.onvifProbes', () => {
  it('names addresses with or without a port', () => {
    expect(parse('192.0.2.255, "198.51.100.7:8702"').sources.onvifProbes).toEqual([
      { address: '192.0.2.255', port: 3_702 },
      { address: '198.51.100.7', port: 8_702 },
    ]);
    expect(parse('').sources.onvifProbes).toEqual([]);
  });

  it.each([
    'cameras.example',
    '192.0.2.300',
    '192.0.2.1:0',
    '192.0.2.1:70000',
    '0.0.0.0',
    '192.0.2.0/24',
    '192.0.2.1:',
    ':3702',
    '[::1]:3702',
    '192.0.2.1:3702:1',
  ])('refuses %s', (target) => {
    let problems: string[] = [];
    try {
      parse(`"${target}"`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems = error.problems.map(describeProblem);
    }
    expect(problems).toEqual([
      expect.stringMatching(
        /sources\.onvifProbes: expected a list; each item is an IPv4 address with or without a port/,
      ),
    ]);
  });
});
