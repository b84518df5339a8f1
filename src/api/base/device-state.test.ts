import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import type { LiveState } from '../../stream/live-media.ts';
import { cameraHealth, nvrHealth } from './device-state.ts';
import { API_ERRORS } from './errors.ts';

const OFFLINE: LiveState = {
  state: 'offline',
  error: new GatewayError(API_ERRORS.OVERLOADED),
  retryAtEpochMs: 0,
};
const LIVE: LiveState = { state: 'live' };

describe('cameraHealth', () => {
  const cases: readonly [LiveState | undefined, string | null, string | null][] = [
    [LIVE, 'GREEN', 'NONE'],
    [{ state: 'idle' }, 'GREEN', 'NONE'],
    [{ state: 'starting' }, 'YELLOW', 'DELAYED'],
    [OFFLINE, 'RED', 'DISCONNECTED'],
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
  const cases: readonly [string, (LiveState | undefined)[], string | null, string | null][] = [
    ['no camera', [], null, null],
    ['cameras that do not run', [undefined], null, null],
    ['all cameras reached', [LIVE, { state: 'idle' }], 'GREEN', 'GREEN'],
    ['one of two offline', [LIVE, OFFLINE], 'GREEN', 'YELLOW'],
    ['all offline', [OFFLINE, OFFLINE, undefined], 'RED', 'RED'],
  ];
  it.each(cases)('with %s', (_name, states, connectionStatus, healthStatus) => {
    expect(nvrHealth(states)).toMatchObject({ connectionStatus, healthStatus });
  });
});
