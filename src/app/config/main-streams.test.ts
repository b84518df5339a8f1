import { describe, expect, it } from 'vitest';
import { type ConfigError, describeProblem } from './errors.ts';
import { parseConfig } from './load-config.ts';

const KEY = 'abcdefghij0123456789';

describe('the main stream of a camera', () => {
  it('can be pushed, and its key is not shown', () => {
    const { cameras, rtmp } = parseConfig(`cameras: [ { name: A, publishKey: ${KEY} } ]`, 'sluice.yaml', {});
    expect(cameras[0]?.publishKey?.reveal()).toBe(KEY);
    expect(JSON.stringify(cameras)).not.toContain(KEY);
    expect(rtmp.listen).toEqual({ host: '127.0.0.1', port: 1935 });
  });

  it.each([
    ['neither opened nor pushed', '{ name: A }', /cameras\[0\]: needs rtsp, .* or publishKey$/],
    [
      'both opened and pushed',
      `{ name: A, rtsp: rtsp://h/, publishKey: ${KEY} }`,
      /cameras\[0\]\.publishKey: a camera has rtsp or publishKey, not both$/,
    ],
    [
      'pushed with the key of another',
      `{ name: A, publishKey: ${KEY} }, { name: B, publishKey: ${KEY} }`,
      /cameras\[1\]\.publishKey: is already the publishKey of cameras\[0\]$/,
    ],
    [
      'pushed with a key that can be guessed',
      '{ name: A, publishKey: camera1 }',
      /cameras\[0\]\.publishKey: expected a random key of 20 to 128 letters, digits, hyphens and underscores$/,
    ],
  ])('is refused if it is %s', (_title, cameras, problem) => {
    let problems: readonly string[] = [];
    try {
      parseConfig(`cameras: [ ${cameras} ]`, 'sluice.yaml', {});
    } catch (error) {
      problems = (error as ConfigError).problems.map(describeProblem);
    }
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain(KEY);
  });
});
