import { describe, expect, it } from 'vitest';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import type { CameraProbe } from '../../sources/probe.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { contentsOf, describeProbe } from './command-check.ts';

function failed(definition: ErrorDefinition, context = {}): CameraProbe {
  return {
    status: 'UNKNOWN',
    error: new GatewayError(definition, context),
    offered: [],
    surplus: [],
    tracks: [],
    gopMs: null,
    frameRateHz: null,
    clockOffsetMs: null,
    clockReading: null,
    bitsPerSec: null,
    firstKeyFrameMs: null,
    transport: null,
    keyFrame: null,
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
      DIRECT_ERRORS.DIRECT_CERTIFICATE_REFUSED,
      { ...target, reason: 'FINGERPRINT_MISMATCH', fingerprint: 'sha256:ab' },
      'tls-failed 192.0.2.10:554: The camera’s certificate is not what its tls setting requires. It presents sha256:ab. [DIRECT_CERTIFICATE_REFUSED]',
    ],
    [
      STREAM_ERRORS.STREAM_FROZEN,
      {},
      'frozen: The camera is connected but its video is frozen. [STREAM_FROZEN]',
    ],
  ])('names the reason of %j', (definition, context, line) => {
    expect(describeProbe(failed(definition, context), { engine: 'auto', audio: 'auto' })).toBe(line);
  });

  it.each([
    ['pcmu', 'auto', 'auto', 'audio pcmu'],
    ['aal2-g726-32', 'direct', 'auto', 'audio aal2-g726-32'],
    ['opus', 'auto', 'aac', 'audio opus (through an ffmpeg worker)'],
    ['g722', 'auto', 'auto', 'audio g722 (through an ffmpeg worker)'],
    ['g722', 'direct', 'auto', 'audio g722 (left out)'],
    ['g729', 'auto', 'aac', 'audio g729 (left out)'],
    ['pcmu', 'auto', 'off', 'audio off'],
  ] as const)('says what happens to %s with engine %s and audio %s', (encoding, engine, audio, line) => {
    const probe: CameraProbe = {
      ...failed(STREAM_ERRORS.STREAM_FROZEN),
      status: 'GOOD',
      offered: [{ kind: 'audio', encodings: [encoding] }],
    };
    expect(describeProbe(probe, { engine, audio }).split(', ')[1]).toBe(line);
  });

  it('prints how the clocks of a camera run', () => {
    const probe: CameraProbe = {
      status: 'GOOD',
      error: null,
      offered: [],
      surplus: [],
      tracks: [],
      gopMs: 2_000,
      frameRateHz: 25,
      clockOffsetMs: 100,
      bitsPerSec: null,
      firstKeyFrameMs: null,
      transport: null,
      keyFrame: null,
      clockReading: {
        driftPpm: -299.6,
        driftUncertaintyPpm: 3.2,
        uncertaintyMs: 1.5,
        jumps: 0,
        offsetMs: 100,
        verdict: 'jumpy',
        cameraTime: null,
        reportedTime: null,
        soundDriftPpm: -7_936.5,
      },
    };
    expect(describeProbe(probe, { engine: 'auto', audio: 'auto' })).toBe(
      'no video, no audio, key frame every 2.0 s, clock +0.1 s, frames −300 ppm (±4), ' +
        'sound −7937 ppm against them, arrival ±2 ms, no jumps, wall clock not usable: jumpy',
    );
    const tooShort = { ...probe, clockReading: { ...probe.clockReading!, driftPpm: null } };
    expect(describeProbe(tooShort, { engine: 'auto', audio: 'auto' }, true)).toBe(
      'no video, no audio, key frame every 2.0 s, clock +0.1 s, ' +
        'drift not known yet: watch it for longer with --timeout',
    );
  });

  it('lists the other sensors of a camera with several (one video each in its description)', () => {
    const probe: CameraProbe = {
      status: 'GOOD',
      error: null,
      offered: [],
      tracks: [],
      clockReading: null,
      bitsPerSec: null,
      firstKeyFrameMs: null,
      transport: null,
      keyFrame: null,
      gopMs: 2_000,
      frameRateHz: 25,
      clockOffsetMs: null,
      surplus: [
        { kind: 'video', encodings: ['h264'] },
        { kind: 'audio', encodings: ['pcmu'] },
        { kind: 'video', encodings: ['h264'] },
      ],
    };
    expect(describeProbe(probe, { engine: 'auto', audio: 'auto' })).toMatch(
      /clock unknown, another video not used: h264, another video not used: h264$/,
    );
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
