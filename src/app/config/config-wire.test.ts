import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { configFromWire, toWire } from './config-wire.ts';
import { parseConfig } from './load-config.ts';
import { SECRET_YAML } from './secret-config-fixture.ts';

/** Everything in a value, its secrets and types included. */
function shown(value: unknown): string {
  const opened = (each: unknown): unknown => {
    if (each instanceof Secret) return { secret: each.reveal() };
    if (each instanceof CredentialUrl) return { url: each.reveal() };
    if (Array.isArray(each)) return each.map(opened);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [name, opened(field)]));
  };
  return inspect(opened(value), { depth: null, maxArrayLength: null });
}

describe('a configuration on its way to another thread', () => {
  it.each([
    ['with nothing but defaults', ''],
    ['with secrets', SECRET_YAML],
    [
      'with records of all kinds of values',
      `cameras:
  - name: A
    rtsp: rtsp://a:b@192.0.2.1/
    tls: sha256:${'ab'.repeat(32)}
    recording: schedule
    recordingSchedule: Mon-Fri 08:00-18:00
cors: ['https://a.example']
trustProxy: [10.0.0.0/8]
`,
    ],
  ])('arrives as it was: %s', async (_name, text) => {
    const config = parseConfig(text, 'sluice.yaml', {});
    const arrived = await configFromWire(structuredClone(toWire(config)));
    expect(shown(arrived)).toBe(shown(config));
    expect([arrived, arrived.cameras, arrived.hls].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('lets others work meanwhile', async () => {
    const cameras = Array.from(
      { length: 1_000 },
      (_each, i) => `  - { name: C${i}, rtsp: "rtsp://192.0.2.1/${i}" }`,
    );
    const wire = toWire(parseConfig(`cameras:\n${cameras.join('\n')}\n`, 'sluice.yaml', {}));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect((await configFromWire(wire)).cameras).toHaveLength(1_000);
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });
});
