import { describe, expect, it } from 'vitest';
import { exitReason } from './exit-reason.ts';

describe('exitReason', () => {
  it.each([
    ['FFMPEG_CAMERA_AUTH', '[rtsp @ 0x5] method DESCRIBE failed: 401 Unauthorized'],
    ['FFMPEG_CAMERA_AUTH', 'pipe:0: Server returned 403 Forbidden (access denied)'],
    ['FFMPEG_CAMERA_NOT_FOUND', 'pipe:0: Server returned 404 Not Found'],
    ['FFMPEG_CAMERA_BUSY', '[rtsp @ 0x5] method SETUP failed: 453 Not Enough Bandwidth'],
    ['FFMPEG_CAMERA_TRANSPORT', '[rtsp @ 0x5] method SETUP failed: 461 Unsupported Transport'],
    ['FFMPEG_CAMERA_UNREACHABLE', 'sluice-jail: the camera: Connection refused', 'ECONNREFUSED'],
    ['FFMPEG_CAMERA_REFUSED', '[rtsp @ 0x5] method PLAY failed: 455 Method Not Valid in This State'],
    [
      'FFMPEG_CAMERA_UNREACHABLE',
      '[tcp @ 0x5] Connection to tcp://10.0.0.5:554?timeout=0 failed: Connection refused',
      'ECONNREFUSED',
    ],
    [
      'FFMPEG_CAMERA_UNREACHABLE',
      '[tcp @ 0x5] Failed to resolve hostname camera.lan: Name or service not known',
      'ENOTFOUND',
    ],
    ['FFMPEG_CAMERA_TIMEOUT', 'pipe:0: Connection timed out', 'ETIMEDOUT'],
    ['FFMPEG_NO_VIDEO', "Stream map '0:v:0' matches no streams."],
    ['FFMPEG_CAMERA_REFUSED', '[rtsp @ 0x5] method PLAY failed: 454 Session Not Found'],
    ['FFMPEG_CAMERA_TLS', '[tls @ 0x5] An unexpected TLS packet was received.'],
    ['FFMPEG_CAMERA_REDIRECTED', "[http @ 0x5] Protocol 'http' not on whitelist 'pipe,rtsp'!"],
    ['FFMPEG_OUT_OF_MEMORY', '[libx264 @ 0x5] malloc of size 4186112 failed'],
    ['FFMPEG_NO_ENCODER', "Unknown encoder 'libx264'"],
    ['FFMPEG_CAMERA_PROTOCOL', "[concat @ 0x5] Impossible to open 'rtsp://192.0.2.1/x'"],
    ['FFMPEG_EXITED', 'pipe:0: Invalid data found when processing input'],
  ])('gives %s for: %s', (code, line, errno?: string) => {
    const error = exitReason({ code: 1, signal: null, stderr: ['noise', line, 'Conversion failed!'] });
    expect([error.code, error.context]).toEqual([code, { exitCode: 1, signal: null, stderr: line, errno }]);
  });

  it('says what the jail said when the jail ended it, and only then', () => {
    const stderr = ['sluice-jail: seccomp: Invalid argument'];
    expect(exitReason({ code: 125, signal: null, stderr }).code).toBe('FFMPEG_JAIL_FAILED');
    expect(exitReason({ code: 125, signal: null, stderr: ['x'] }).code).toBe('FFMPEG_EXITED');
  });

  it('has a reason for an end without a word', () => {
    const error = exitReason({ code: null, signal: 'SIGKILL', stderr: [] });
    expect([error.code, error.context.signal, error.context.stderr]).toEqual([
      'FFMPEG_KILLED',
      'SIGKILL',
      '',
    ]);
  });

  it.each([
    ['SIGSYS', 'FFMPEG_SYSCALL_REFUSED'],
    ['SIGSEGV', 'FFMPEG_CRASHED'],
    ['SIGABRT', 'FFMPEG_CRASHED'],
    ['SIGTERM', 'FFMPEG_EXITED'],
  ])('takes %s for %s, unless a line says more', (signal, code) => {
    expect(exitReason({ code: null, signal, stderr: ['frame= 1'] }).code).toBe(code);
    const stderr = ['Cannot allocate memory'];
    expect(exitReason({ code: null, signal, stderr }).code).toBe('FFMPEG_OUT_OF_MEMORY');
  });
});
