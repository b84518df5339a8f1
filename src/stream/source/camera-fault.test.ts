import { describe, expect, it } from 'vitest';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import { HLS_SOURCE_ERRORS } from '../../sources/hls/errors.ts';
import { PULL_ERRORS } from '../../sources/http/errors.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import { RTMP_ERRORS } from '../../sources/rtmp/errors.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import { type CameraFaultReason, cameraFaultOf, faultPlace, faultReasonOf } from './camera-fault.ts';
import { adviceFor } from './camera-fault-advice.ts';

const REGISTRIES = {
  ...DIRECT_ERRORS,
  ...RTSP_ERRORS,
  ...FFMPEG_ERRORS,
  ...STREAM_ERRORS,
  ...PULL_ERRORS,
  ...HLS_SOURCE_ERRORS,
  ...RTMP_ERRORS,
};
/** Reasons that name the camera as the one that refused. */
const OF_CAMERA: readonly CameraFaultReason[] = [
  'refused',
  'busy',
  'unreachable',
  'disconnected',
  'protocol',
];

/** The errors that an operator should read. Codes that are not listed are protocol defects or ours. */
const EXPECTED: Readonly<Partial<Record<CameraFaultReason, readonly ErrorDefinition[]>>> = {
  unreachable: [
    DIRECT_ERRORS.DIRECT_UNREACHABLE,
    DIRECT_ERRORS.DIRECT_CONNECT_TIMEOUT,
    FFMPEG_ERRORS.FFMPEG_CAMERA_UNREACHABLE,
    FFMPEG_ERRORS.FFMPEG_CAMERA_TIMEOUT,
  ],
  'wrong-password': [RTSP_ERRORS.RTSP_AUTH_FAILED, FFMPEG_ERRORS.FFMPEG_CAMERA_AUTH],
  'wrong-path': [
    RTSP_ERRORS.RTSP_NOT_FOUND,
    FFMPEG_ERRORS.FFMPEG_CAMERA_NOT_FOUND,
    DIRECT_ERRORS.DIRECT_BAD_URL,
  ],
  busy: [RTSP_ERRORS.RTSP_BUSY, FFMPEG_ERRORS.FFMPEG_CAMERA_BUSY],
  silent: [STREAM_ERRORS.STREAM_SILENT, DIRECT_ERRORS.DIRECT_SILENT, FFMPEG_ERRORS.FFMPEG_STALLED],
  disconnected: [DIRECT_ERRORS.DIRECT_DISCONNECTED, RTSP_ERRORS.RTSP_SESSION_LOST],
  refused: [RTSP_ERRORS.RTSP_REFUSED, PULL_ERRORS.PULL_REFUSED, FFMPEG_ERRORS.FFMPEG_CAMERA_REFUSED],
  'not-allowed': [
    DIRECT_ERRORS.DIRECT_ADDRESS_REFUSED,
    DIRECT_ERRORS.DIRECT_OUTSIDE_OPERATOR_NETWORKS,
    DIRECT_ERRORS.DIRECT_OUTSIDE_ORGANIZATION_NETWORKS,
    PULL_ERRORS.PULL_URL_REFUSED,
    RTMP_ERRORS.RTMP_KEY_IN_USE,
    RTMP_ERRORS.RTMP_TOO_MANY_TRIES,
  ],
  'no-worker': [FFMPEG_ERRORS.FFMPEG_POOL_FULL],
  gateway: [FFMPEG_ERRORS.FFMPEG_JAIL_FAILED, FFMPEG_ERRORS.FFMPEG_TOO_SLOW],
};

describe('the reason of a camera fault', () => {
  const cases = Object.entries(EXPECTED).flatMap(([reason, definitions]) =>
    definitions.map((definition) => [definition.code, reason, definition] as const),
  );
  it.each(cases)('%s is %s', (_code, reason, definition) => {
    expect(faultReasonOf(definition)).toBe(reason);
  });

  it('is frozen and flood for the codes that say so', () => {
    expect(faultReasonOf({ code: 'STREAM_FROZEN', kind: 'timeout' })).toBe('frozen');
    for (const code of ['DIRECT_FLOOD', 'UDP_FLOODED'])
      expect(faultReasonOf({ code, kind: 'limit' })).toBe('flood');
  });

  it('never blames the camera for our defects, and blames the password only when it was refused', () => {
    for (const definition of Object.values(REGISTRIES)) {
      const reason = faultReasonOf(definition);
      if (definition.kind === 'internal')
        expect([definition.code, reason]).toEqual([definition.code, 'gateway']);
      // Only what the camera says, or does not say, is its refusal.
      if (['not-allowed', 'conflict', 'rate-limited'].includes(definition.kind))
        expect([definition.code, OF_CAMERA.includes(reason)]).toEqual([definition.code, false]);
      if (reason === 'wrong-password') expect(definition.code).toMatch(/AUTH|KEY_REFUSED/);
    }
  });
});

describe('cameraFaultOf', () => {
  it('names a limit of the gateway, not a camera that cannot be reached', () => {
    const error = new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { errno: 'TOO_MANY_LOOKUPS' });
    expect(cameraFaultOf(error)).toMatchObject({
      reason: 'gateway',
      message: expect.stringContaining('gateway'),
    });
  });

  it('has host, port and errno from the engine, and nothing else from the context', () => {
    const context = { host: '2001:db8::1', port: 554, errno: 'ECONNREFUSED', reason: 'x', stderr: 'secret' };
    const fault = cameraFaultOf(new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, context));
    expect(fault).toEqual({
      reason: 'unreachable',
      code: 'DIRECT_UNREACHABLE',
      message: 'The camera cannot be reached.',
      host: '2001:db8::1',
      port: 554,
      errno: 'ECONNREFUSED',
    });
    expect(faultPlace(fault)).toBe(' [2001:db8::1]:554 (ECONNREFUSED)');
  });

  it('leaves out what is not known', () => {
    const fault = cameraFaultOf(new GatewayError(RTSP_ERRORS.RTSP_BUSY));
    expect(fault).toMatchObject({ host: null, port: null, errno: null });
    expect(faultPlace(fault)).toBe('');
  });
});

describe('the advice for a camera that cannot be reached', () => {
  const adviceOf = (errno: string | null) =>
    adviceFor({ code: 'DIRECT_UNREACHABLE', reason: 'unreachable', errno });

  it.each([
    ['ECONNREFUSED', 'turn on RTSP'],
    ['EHOSTUNREACH', 'no route'],
    ['ETIMEDOUT', 'Nothing responds'],
    ['ENOTFOUND', 'name server'],
  ])('names the cause of %s', (errno, cause) => {
    expect(adviceOf(errno)).toContain(cause);
    expect(adviceOf(errno)).not.toBe(adviceOf(null));
  });

  it('is general where nothing is known', () => {
    expect(adviceOf('EPROTO')).toBe(adviceOf(null));
    expect(adviceOf(null)).toContain('the cable');
  });

  it('of another reason stays that of the reason', () => {
    const wrongPassword = {
      code: 'RTSP_AUTH_FAILED',
      reason: 'wrong-password',
      errno: 'ECONNREFUSED',
    } as const;
    expect(adviceFor(wrongPassword)).toContain('password');
  });
});
