import { describe, expect, it } from 'vitest';
import type { Log } from '../core/log.ts';
import { CameraLog } from './camera-log.ts';

/** Keeps lines with the fields of all the loggers they went through. */
function recordingLog(lines: object[], bound: object = {}): Log {
  const write = (fields: object, message: string) => void lines.push({ ...bound, ...fields, message });
  return {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

describe('CameraLog', () => {
  it('puts uuid and name on every line, including those of its children', () => {
    const lines: object[] = [];
    const log = new CameraLog(recordingLog(lines), 'u1', 'Lobby');
    log.warn({}, 'a');
    log.child({ profile: 'main' }).child({ engine: 'direct' }).info({ frames: 3 }, 'b');
    expect(lines).toEqual([
      { camera: 'u1', name: 'Lobby', message: 'a' },
      { camera: 'u1', name: 'Lobby', profile: 'main', engine: 'direct', frames: 3, message: 'b' },
    ]);
  });

  it('carries the new name after a rename, also for children made before it', () => {
    const lines: object[] = [];
    const log = new CameraLog(recordingLog(lines), 'u1', 'Lobby');
    const child = log.child({ profile: 'main' });
    child.info({}, 'a');
    log.rename('Entrance');
    child.info({}, 'b');
    expect(log.name).toBe('Entrance');
    expect(lines).toMatchObject([{ name: 'Lobby' }, { name: 'Entrance', camera: 'u1', profile: 'main' }]);
  });
});
