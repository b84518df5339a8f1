import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { CredentialUrl } from '../core/secret.ts';
import { pushedAddress } from '../store/pushed-address.ts';
import { type CameraSource, type CameraSourceFields, mergedSource, shownSource } from './camera-source.ts';

const MAIN = 'rtsp://192.0.2.10/main';
const SUB = 'rtsp://192.0.2.10/sub';
const HARD = 'p@s:s/w#o?r%d é';

function known(fields: Partial<CameraSourceFields> = {}): CameraSource {
  return mergedSource(null, { mainUrl: MAIN, username: 'admin', password: 'secret', ...fields });
}

function codeOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof GatewayError ? [error.code, error.context.field] : error;
  }
  return null;
}

describe('a new camera', () => {
  it('has the defaults of the configuration file', () => {
    expect(mergedSource(null, { mainUrl: MAIN })).toMatchObject({
      engine: 'auto',
      transport: 'auto',
      audio: 'auto',
      clock: 'arrival',
      tls: 'any',
      substreamUrl: null,
      onvifUrl: null,
    });
  });

  it.each([HARD, '', 'ü', '%41', 'a b'])('carries the password %j to every address', (password) => {
    const source = known({ password, substreamUrl: SUB, onvifUrl: 'http://192.0.2.10' });
    for (const url of [source.rtspUrl, source.substreamUrl, source.onvifUrl]) {
      expect(url?.credentials()?.password.reveal()).toBe(password);
      expect(url?.hostname).toBe('192.0.2.10');
    }
    expect(source.rtspUrl.redacted()).toBe(MAIN);
  });

  it('prefers the fields to the login in an address', () => {
    const own = mergedSource(null, { mainUrl: 'rtsp://a:b@192.0.2.10/main' });
    expect(own.rtspUrl.reveal()).toBe('rtsp://a:b@192.0.2.10/main');
    const given = known({ mainUrl: 'rtsp://a:b@192.0.2.10/main' });
    expect(given.rtspUrl.reveal()).toBe('rtsp://admin:secret@192.0.2.10/main');
  });

  it.each<[CameraSourceFields, unknown]>([
    [{}, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: '' }, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: 'ftp://192.0.2.10/a' }, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: 'rtsp://admin:p#w@192.0.2.10/a' }, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: 'rtmp-push://publisher/' }, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: 'srt://192.0.2.10/' }, ['CAMERA_SOURCE_URL_INVALID', 'mainUrl']],
    [{ mainUrl: MAIN, substreamUrl: 'nothing' }, ['CAMERA_SOURCE_URL_INVALID', 'substreamUrl']],
    [{ mainUrl: MAIN, onvifUrl: SUB }, ['CAMERA_SOURCE_URL_INVALID', 'onvifUrl']],
    [{ mainUrl: MAIN, tls: 'sha256:12' }, ['CAMERA_TLS_INVALID', undefined]],
  ])('is refused with %j', (fields, refusal) => {
    expect(codeOf(() => mergedSource(null, fields))).toEqual(refusal);
  });

  it.each([
    'rtsps://192.0.2.10/a',
    'rtsp+http://192.0.2.10/a',
    'https://192.0.2.10/live.m3u8',
    'rtmp://192.0.2.10/a',
    'srt://192.0.2.10:9000?streamid=a',
  ])('can be at %s', (mainUrl) => {
    expect(mergedSource(null, { mainUrl }).rtspUrl.reveal()).toBe(mainUrl);
  });
});

describe('a known camera', () => {
  it('keeps what is not given', () => {
    const before = known({ substreamUrl: SUB, transport: 'udp', tls: 'verify' });
    expect(mergedSource(before, { audio: 'off' })).toEqual({ ...before, audio: 'off' });
  });

  it('gets a new password at all its addresses', () => {
    const after = mergedSource(known({ substreamUrl: SUB }), { password: HARD });
    expect(after.rtspUrl.credentials()).toMatchObject({ username: 'admin' });
    expect(after.rtspUrl.credentials()?.password.reveal()).toBe(HARD);
    expect(after.substreamUrl?.credentials()?.password.reveal()).toBe(HARD);
  });

  it('loses its login with an empty user name', () => {
    expect(mergedSource(known(), { username: '' }).rtspUrl.reveal()).toBe(MAIN);
  });

  it('loses an address with an empty text', () => {
    const before = known({ substreamUrl: SUB, onvifUrl: 'http://192.0.2.10/' });
    expect(mergedSource(before, { substreamUrl: '', onvifUrl: '' })).toMatchObject({
      substreamUrl: null,
      onvifUrl: null,
    });
  });

  it('uses the stored password for another path at the same place', () => {
    const after = mergedSource(known(), { mainUrl: 'rtsp://192.0.2.10/other', substreamUrl: SUB });
    expect(after.rtspUrl.reveal()).toBe('rtsp://admin:secret@192.0.2.10/other');
    expect(after.substreamUrl?.reveal()).toBe('rtsp://admin:secret@192.0.2.10/sub');
  });

  it.each<[string, CameraSourceFields, string]>([
    ['another host', { mainUrl: 'rtsp://192.0.2.11/main' }, 'mainUrl'],
    ['another port', { mainUrl: 'rtsp://192.0.2.10:8554/main' }, 'mainUrl'],
    ['another scheme', { mainUrl: 'rtsp+http://192.0.2.10/main' }, 'mainUrl'],
    ['a substream elsewhere', { substreamUrl: 'rtsp://192.0.2.11/sub' }, 'substreamUrl'],
    ['a service elsewhere', { onvifUrl: 'http://192.0.2.10/' }, 'onvifUrl'],
    ['a new user there', { mainUrl: 'rtsp://192.0.2.11/main', username: 'x' }, 'mainUrl'],
    ['a certificate that proves less', { tls: `sha256:${'a'.repeat(64)}` }, 'tls'],
  ])('does not send its password to %s', (_what, fields, field) => {
    expect(codeOf(() => mergedSource(known(), fields))).toEqual(['CAMERA_PASSWORD_NEEDED', field]);
    const after = mergedSource(known(), { ...fields, password: 'new' });
    expect(after.rtspUrl.credentials()?.password.reveal()).toBe('new');
  });

  it('can go elsewhere without a login, or with another one', () => {
    const elsewhere = 'rtsp://192.0.2.11/main';
    expect(mergedSource(known(), { mainUrl: elsewhere, username: '' }).rtspUrl.reveal()).toBe(elsewhere);
    const other = 'rtsp://c:d@192.0.2.11/main';
    expect(mergedSource(known(), { mainUrl: other }).rtspUrl.reveal()).toBe(other);
  });

  it('keeps the secrets of an address that comes back as it was shown', () => {
    const before = known({ mainUrl: 'rtsp://192.0.2.10/live?user=admin&password=hidden' });
    const { mainUrl } = shownSource(before);
    expect(mainUrl).not.toContain('hidden');
    expect(mergedSource(before, { mainUrl: mainUrl!, transport: 'tcp' })).toEqual({
      ...before,
      transport: 'tcp',
    });
  });
});

describe('what is shown', () => {
  it('has no secret', () => {
    const source = known({ substreamUrl: 'srt://192.0.2.10:9000?passphrase=hidden12345' });
    const shown = shownSource(source);
    expect(shown).toMatchObject({ mainUrl: MAIN, username: 'admin', hasPassword: true });
    expect(JSON.stringify(shown)).not.toMatch(/secret|hidden/);
  });

  it('has no publish key of a camera that a device pushes', () => {
    const source = { ...known(), rtspUrl: pushedAddress('digest'), substreamUrl: new CredentialUrl(SUB) };
    expect(shownSource(source)).toMatchObject({ mainUrl: null, username: null, hasPassword: false });
  });
});
