import { describe, expect, it } from 'vitest';
import { findProblems, MAX_FINDINGS } from './find-problems.ts';
import { SECRET_YAML, secretsIn } from './secret-config-fixture.ts';

const find = (text: string, env = {}) => findProblems(text, 'yaml', env);

describe('findProblems', () => {
  it('finds nothing in a valid configuration', () => {
    expect(find('')).toEqual({ findings: [], count: 0 });
    expect(find(SECRET_YAML)).toEqual({ findings: [], count: 0 });
  });

  it('names path, line, column and what is expected', () => {
    expect(find('hls:\n  window: 4s\n').findings).toEqual([
      {
        path: 'hls.window',
        line: 2,
        column: 11,
        variable: null,
        sentence: 'hls.window: must be at least three times hls.segmentTarget.',
      },
    ]);
    expect(find('hls: {\n').findings[0]).toMatchObject({ path: '', line: 2 });
  });

  it('names the variable of the environment', () => {
    expect(find('', { SLUICE_HLS_WINDOW: 'long' }).findings).toEqual([
      expect.objectContaining({ path: 'hls.window', line: null, variable: 'SLUICE_HLS_WINDOW' }),
    ]);
  });

  it('repeats no secret of a configuration with mistakes everywhere', () => {
    const broken = SECRET_YAML.replaceAll('rtsp://', 'rtp://')
      .replace('redis://', 'rediss-x://')
      .replace('postgres://', 'mysql://')
      .replaceAll('http://', 'httq://')
      .replace('publishKey: ', 'publishKey: "!! ')
      .replace(/(publishKey: "!! .*)$/m, '$1"')
      .replace('accessKeyId:', 'accessKeyID:')
      .replace('secretAccessKey: "', 'secretAccessKey: " ');
    const { findings, count } = find(broken);
    expect(count).toBeGreaterThanOrEqual(7);
    expect(secretsIn(JSON.stringify(findings))).toEqual([]);
  });

  it('shows the first ones of many, and counts all', () => {
    const text = `cameras:\n${'  - { name: x, colour: red }\n'.repeat(1_000)}`;
    const { findings, count } = find(text);
    expect(findings).toHaveLength(MAX_FINDINGS);
    expect(count).toBeGreaterThan(1_000);
  });

  it('refuses what is nested too deeply', () => {
    const depth = 100_000;
    const { findings } = find(`hls: ${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(findings[0]).toMatchObject({ path: '', sentence: 'The configuration: is nested too deeply.' });
  });
});
