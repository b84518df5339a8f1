import { describe, expect, it } from 'vitest';
import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import { DIRECT_ERRORS } from '../sources/direct/errors.ts';
import type { CameraProbe } from '../sources/direct/probe.ts';
import { STREAM_ERRORS } from '../stream/errors.ts';
import { contentsOf, describeProbe } from './command-check.ts';

function failed(definition: ErrorDefinition, context = {}): CameraProbe {
  return {
    ...{ status: 'UNKNOWN', error: new GatewayError(definition, context), offered: [], tracks: [] },
    ...{ gopMs: null, frameRateHz: null, clockOffsetMs: null },
  };
}

describe('sluice check', () => {
  const target = { host: '192.0.2.10', port: 554 };
  it.each<[ErrorDefinition, object, string]>([
    [
      DIRECT_ERRORS.DIRECT_UNREACHABLE,
      { ...target, errno: 'EHOSTUNREACH' },
      'unreachable 192.0.2.10:554 (EHOSTUNREACH): The camera cannot be reached. [DIRECT_UNREACHABLE]',
    ],
    [
      RTSP_ERRORS.RTSP_AUTH_FAILED,
      target,
      'wrong-password 192.0.2.10:554: The camera refused the user name or password. [RTSP_AUTH_FAILED]',
    ],
    [
      RTSP_ERRORS.RTSP_NOT_FOUND,
      target,
      'wrong-path 192.0.2.10:554: The camera has no stream at this URL. [RTSP_NOT_FOUND]',
    ],
    [
      RTSP_ERRORS.RTSP_BUSY,
      target,
      'busy 192.0.2.10:554: The camera currently has no capacity for another session. [RTSP_BUSY]',
    ],
    [
      STREAM_ERRORS.STREAM_FROZEN,
      {},
      'frozen: The camera is connected but its video is frozen. [STREAM_FROZEN]',
    ],
  ])('names the reason of %j', (definition, context, line) => {
    expect(describeProbe(failed(definition, context), { engine: 'auto' })).toBe(line);
  });

  it('counts in English', () => {
    const of = (cameras: number, nvrs: number, locations: number) =>
      contentsOf({
        cameras: Array(cameras).fill({}),
        nvrs: Array(nvrs).fill({}),
        locations: Array(locations).fill({}),
      });
    expect(of(1, 0, 2)).toBe('1 camera, no NVRs, 2 locations');
    expect(of(0, 1, 1)).toBe('no cameras, 1 NVR, 1 location');
  });
});
