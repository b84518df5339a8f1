import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import { type CameraReport, NOT_CHECKED } from '../../stream/camera-connection.ts';
import { reportOf } from '../../stream/camera-report-fixture.ts';
import type { LiveStateName } from '../../stream/media/live-media.ts';
import { cameraFaultOf } from '../../stream/source/camera-fault.ts';
import { cameraHealth, nvrHealth } from './device-state.ts';

const UNCHECKED = reportOf('idle', 'not-checked');

describe('cameraHealth', () => {
  const cases: readonly [string, CameraReport | undefined, string | null, string | null][] = [
    ['a live camera', reportOf('live'), 'GREEN', 'NONE'],
    ['a closed camera that was good when last contacted', reportOf('idle'), 'GREEN', 'NONE'],
    ['a camera that is being opened', reportOf('starting'), 'YELLOW', 'DELAYED'],
    ['a camera that was never contacted', UNCHECKED, 'ORANGE', 'NONE'],
    ['a camera whose last contact failed, closed since', reportOf('idle', 'offline'), 'RED', 'DISCONNECTED'],
    ['an offline camera', reportOf('offline'), 'RED', 'DISCONNECTED'],
    ['a camera that does not run', undefined, null, null],
  ];
  it.each(cases)('of %s', (_name, report, status, details) => {
    const { connectionDetail, ...colours } = cameraHealth(report);
    expect(colours).toEqual({
      connectionStatus: status,
      healthStatus: status,
      healthStatusDetails: details,
    });
    expect(connectionDetail?.state).toBe(report?.main.state);
  });

  it('says why a camera is offline, by reason and code, with host, port and errno, and of each stream', () => {
    const context = { host: '192.0.2.10', port: 554, errno: 'EHOSTUNREACH' };
    const fault = cameraFaultOf(new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, context));
    const main = { ...NOT_CHECKED, fault, checkedAtEpochMs: 7, retryAtEpochMs: 9 };
    const offline = { ...main, state: 'offline', offlineSinceEpochMs: 3 } as const;
    const sub = { ...NOT_CHECKED, state: 'live', sinceEpochMs: 5 } as const;
    expect(cameraHealth({ streamState: 'offline', main: offline, sub }).connectionDetail).toEqual({
      state: 'offline',
      sinceMs: null,
      offlineSinceMs: 3,
      checkedAtMs: 7,
      retryAtMs: 9,
      waiting: null,
      reason: 'unreachable',
      code: 'DIRECT_UNREACHABLE',
      message: 'The camera cannot be reached.',
      advice: expect.stringContaining('Check the address'),
      ...context,
      substream: expect.objectContaining({ state: 'live', sinceMs: 5, reason: null, code: null }),
    });
  });
});

describe('a camera that waits for a worker', () => {
  it('says how many get one earlier', () => {
    const waiting = { ahead: 2, running: 4, maxWorkers: 4 };
    const main = { ...NOT_CHECKED, state: 'connecting', sinceEpochMs: 5, waiting } as const;
    const detail = cameraHealth({ streamState: 'starting', main, sub: null }).connectionDetail;
    expect(detail).toMatchObject({ state: 'connecting', waiting, reason: null });
  });
});

describe('nvrHealth', () => {
  const states = (...names: LiveStateName[]) => names.map((name) => reportOf(name));
  const cases: readonly [string, (CameraReport | undefined)[], string | null, string | null][] = [
    ['no camera', [], null, null],
    ['cameras that do not run', [undefined], null, null],
    ['all cameras reached', states('live', 'idle'), 'GREEN', 'GREEN'],
    ['cameras that no one contacted', [UNCHECKED, UNCHECKED], 'ORANGE', 'ORANGE'],
    ['one camera reached, the other not contacted', [UNCHECKED, reportOf('idle')], 'GREEN', 'GREEN'],
    ['one of two offline', states('live', 'offline'), 'GREEN', 'YELLOW'],
    ['one offline, the other not contacted', [UNCHECKED, reportOf('offline')], 'ORANGE', 'YELLOW'],
    ['all offline', [...states('offline', 'offline'), undefined], 'RED', 'RED'],
  ];
  it.each(cases)('with %s', (_name, reports, connectionStatus, healthStatus) => {
    expect(nvrHealth(reports)).toMatchObject({ connectionStatus, healthStatus });
  });
});
