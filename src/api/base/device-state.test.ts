import { describe, expect, it } from 'vitest';
import type { LiveStateName } from '../../stream/live-media.ts';
import { cameraHealth, nvrHealth } from './device-state.ts';

describe('cameraHealth', () => {
  const cases: readonly [LiveStateName | undefined, string | null, string | null][] = [
    ['live', 'GREEN', 'NONE'],
    ['idle', 'GREEN', 'NONE'],
    ['starting', 'YELLOW', 'DELAYED'],
    ['offline', 'RED', 'DISCONNECTED'],
    [undefined, null, null],
  ];
  it.each(cases)('reads %j', (state, status, details) => {
    expect(cameraHealth(state)).toEqual({
      connectionStatus: status,
      healthStatus: status,
      healthStatusDetails: details,
    });
  });
});

describe('nvrHealth', () => {
  const cases: readonly [string, (LiveStateName | undefined)[], string | null, string | null][] = [
    ['no camera', [], null, null],
    ['cameras that do not run', [undefined], null, null],
    ['all cameras reached', ['live', 'idle'], 'GREEN', 'GREEN'],
    ['one of two offline', ['live', 'offline'], 'GREEN', 'YELLOW'],
    ['all offline', ['offline', 'offline', undefined], 'RED', 'RED'],
  ];
  it.each(cases)('with %s', (_name, states, connectionStatus, healthStatus) => {
    expect(nvrHealth(states)).toMatchObject({ connectionStatus, healthStatus });
  });
});
