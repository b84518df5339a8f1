import { describe, expect, it } from 'vitest';
import type { KnownSource } from './camera-adding.ts';
import { takeApart } from './camera-address.ts';
import {
  changesOf,
  draftFaults,
  draftOf,
  EMPTY_DRAFT,
  fieldOfFault,
  sourceOf,
  withPasted,
} from './camera-draft.ts';

const PASSWORD = '@:/?#%é🔑 "<';
const DRAFT = { ...EMPTY_DRAFT, host: '192.0.2.10', mainPath: 'main', username: 'admin', password: PASSWORD };

function known(
  source: Partial<KnownSource['source']> = {},
  absent: 'substreamUrl' | 'username' | null = null,
): KnownSource {
  return {
    name: 'Yard',
    declared: false,
    pushed: false,
    source: {
      mainUrl: 'rtsp://192.0.2.10:8554/main?key=…',
      ...(absent === 'substreamUrl' ? {} : { substreamUrl: 'rtsp://192.0.2.10:8554/sub' }),
      ...(absent === 'username' ? {} : { username: 'admin' }),
      engine: 'auto',
      clock: 'arrival',
      hasPassword: true,
      transport: 'tcp',
      audio: 'off',
      tls: 'any',
      ...source,
    },
  };
}

describe('sourceOf', () => {
  it('leaves the password as it was typed, and out of the addresses', () => {
    const source = sourceOf({ ...DRAFT, subPath: '/sub', onvifUrl: '192.0.2.10:8000' });
    expect(source).toEqual({
      mainUrl: 'rtsp://192.0.2.10/main',
      substreamUrl: 'rtsp://192.0.2.10/sub',
      onvifUrl: 'http://192.0.2.10:8000',
      username: 'admin',
      password: PASSWORD,
      transport: 'auto',
      tls: 'any',
      audio: 'auto',
    });
  });

  it('takes whole addresses of other kinds, and no login where there is none', () => {
    const draft = { ...EMPTY_DRAFT, kind: 'url' as const, mainUrl: ' srt://192.0.2.10:9000?mode=caller ' };
    expect(sourceOf(draft)).toEqual({
      mainUrl: 'srt://192.0.2.10:9000?mode=caller',
      substreamUrl: '',
      transport: 'auto',
      tls: 'any',
      audio: 'auto',
    });
  });
});

it('fills in what is pasted', () => {
  const rtsp = takeApart('rtsp://admin:p@ss@192.0.2.10:8554/main');
  expect(withPasted(EMPTY_DRAFT, rtsp!)).toMatchObject({
    kind: 'rtsp',
    host: '192.0.2.10',
    port: '8554',
    mainPath: '/main',
    username: 'admin',
    password: 'p@ss',
  });
  const hls = takeApart('https://user:a@b@cdn.example/live/index.m3u8?x=1');
  expect(withPasted(EMPTY_DRAFT, hls!)).toMatchObject({
    kind: 'url',
    mainUrl: 'https://cdn.example/live/index.m3u8?x=1',
    username: 'user',
    password: 'a@b',
  });
});

describe('changesOf', () => {
  it.each([
    [{}, null],
    [{}, 'substreamUrl'],
    [{ substreamUrl: 'rtsp://192.0.2.11/sub' }, null],
    [{ mainUrl: 'rtsp://[2001:db8::1]/main', substreamUrl: 'rtsp://[2001:db8::1]/' }, null],
    [{ mainUrl: 'https://192.0.2.10/x.m3u8?token=…' }, null],
    [{ mainUrl: 'rtsps://host', onvifUrl: 'https://host/onvif/device_service' }, null],
    [{ hasPassword: false }, 'username'],
  ] as const)('is nothing if nothing was changed: %j without %s', (source, absent) => {
    const draft = draftOf(known(source, absent));
    expect(changesOf(draft, draft)).toEqual({});
  });

  it('has what differs alone', () => {
    const before = draftOf(known());
    expect(before).toMatchObject({ mainPath: '/main?key=…', subPath: '/sub', password: '' });
    expect(changesOf(before, { ...before, password: PASSWORD })).toEqual({
      username: 'admin',
      password: PASSWORD,
    });
    expect(changesOf(before, { ...before, username: 'viewer' })).toEqual({ username: 'viewer' });
    expect(changesOf(before, { ...before, username: '' })).toEqual({ username: '', password: '' });
    expect(changesOf(before, { ...before, subPath: '' })).toEqual({ substreamUrl: '' });
    expect(changesOf(before, { ...before, audio: 'auto', tls: 'verify' })).toEqual({
      audio: 'auto',
      tls: 'verify',
    });
    expect(changesOf(before, { ...before, host: 'cam' })).toEqual({
      mainUrl: 'rtsp://cam:8554/main?key=…',
      substreamUrl: 'rtsp://cam:8554/sub',
    });
  });
});

it('finds faults before the gateway is asked', () => {
  expect(draftFaults(DRAFT)).toEqual({});
  expect(Object.keys(draftFaults({ ...DRAFT, host: 'rtsp://x', port: '0' }))).toEqual(['host', 'port']);
  const url = { ...DRAFT, kind: 'url' as const };
  expect(Object.keys(draftFaults({ ...url, mainUrl: 'rtsp://x' }))).toEqual(['mainUrl']);
  expect(draftFaults({ ...url, mainUrl: 'http://x/y.m3u8' })).toEqual({});
});

it('knows the field of a failure', () => {
  expect(fieldOfFault('wrong-password', 'rtsp')).toBe('password');
  expect(fieldOfFault('wrong-path', 'rtsp')).toBe('mainPath');
  expect(fieldOfFault('unreachable', 'url')).toBe('mainUrl');
  expect(fieldOfFault('busy', 'rtsp')).toBeNull();
});
