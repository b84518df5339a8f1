import { describe, expect, it } from 'vitest';
import { filledTemplate, hostFault, joined, portFault, takeApart } from './camera-address.ts';

const HOST = '192.0.2.10';
const PARTS = { scheme: 'rtsp', host: HOST, port: '', path: '/main' };
const NO_LOGIN = { ...PARTS, login: null };
const withLogin = (username: string, password: string) => ({ ...PARTS, login: { username, password } });

describe('takeApart', () => {
  it.each([
    ['rtsp://192.0.2.10/main', NO_LOGIN],
    ['  rtsp://192.0.2.10:554/main\n', NO_LOGIN],
    ['RTSP://192.0.2.10/main', NO_LOGIN],
    ['192.0.2.10/main', NO_LOGIN],
    ['192.0.2.10', { ...NO_LOGIN, path: '' }],
    [
      'rtsps://cam.example:7441/a?b=c',
      { ...NO_LOGIN, scheme: 'rtsps', host: 'cam.example', port: '7441', path: '/a?b=c' },
    ],
    ['rtsp://[2001:db8::1]:8554/main', { ...NO_LOGIN, host: '2001:db8::1', port: '8554' }],
    ['rtsp://192.0.2.10?channel=1', { ...NO_LOGIN, path: '?channel=1' }],
    ['rtsp://192.0.2.10/live@720p', { ...NO_LOGIN, path: '/live@720p' }],
    ['rtsp://cam:8554/live@720p', { ...NO_LOGIN, host: 'cam', port: '8554', path: '/live@720p' }],
    ['rtsp://admin@192.0.2.10/main', withLogin('admin', '')],
    ['rtsp://admin:secret@192.0.2.10/main', withLogin('admin', 'secret')],
    ['rtsp://admin:p%40s%25@192.0.2.10/main', withLogin('admin', 'p@s%')],
    ['rtsp://admin:100%@192.0.2.10/main', withLogin('admin', '100%')],
    ['rtsp://admin:@:/?#%@192.0.2.10/main', withLogin('admin', '@:/?#%')],
    ['rtsp://admin:12/3@192.0.2.10/main', withLogin('admin', '12/3')],
    ['rtsp://admin:grün:@192.0.2.10/main', withLogin('admin', 'grün:')],
    ['rtsp://admin:a@b.c@192.0.2.10/main', withLogin('admin', 'a@b.c')],
    ['rtsp://admin:secret@192.0.2.10/live@720p', { ...withLogin('admin', 'secret'), path: '/live@720p' }],
  ])('reads %s', (text, parts) => {
    expect(takeApart(text)).toEqual(parts);
  });

  it.each(['', 'rtsp://', 'rtsp:///main', 'rtsp://192.0.2.10:99999/', 'rtsp://a b/c', 'rtsp://[x'])(
    'says that %j has no host',
    (text) => {
      expect(takeApart(text)).toBeNull();
    },
  );

  it('reads every escaped password', () => {
    for (const password of ['@:/?#%&=+ ', 'пароль', '%41', 'a@192.0.2.1/', '"\\<>', '🔑']) {
      const text = `rtsp://${encodeURIComponent('ad:min')}:${encodeURIComponent(password)}@${HOST}/main`;
      expect(takeApart(text)).toEqual(withLogin('ad:min', password));
    }
  });
});

describe('joined', () => {
  it.each([
    [PARTS, 'rtsp://192.0.2.10/main'],
    [{ ...PARTS, port: '8554', path: 'main' }, 'rtsp://192.0.2.10:8554/main'],
    [{ ...PARTS, path: '' }, 'rtsp://192.0.2.10'],
    [{ ...PARTS, path: '?a=b' }, 'rtsp://192.0.2.10?a=b'],
    [{ ...PARTS, host: '2001:db8::1' }, 'rtsp://[2001:db8::1]/main'],
    [{ ...PARTS, path: '/a b#c' }, 'rtsp://192.0.2.10/a%20b%23c'],
  ])('is %j as a URL', (parts, url) => {
    expect(joined(parts)).toBe(url);
  });
});

it('says what no host is', () => {
  for (const host of ['192.0.2.10', 'cam.example', '2001:db8::1', '[::1]'])
    expect(hostFault(host)).toBeNull();
  for (const host of ['', ' ', '192.0.2.10:554', 'rtsp://a', 'a/b', 'a@b', 'a b', 'a?']) {
    expect(hostFault(host), host).not.toBeNull();
  }
});

it('says what no port is', () => {
  for (const port of ['', '1', '554', '65535']) expect(portFault(port)).toBeNull();
  for (const port of ['0', '65536', '5a', '-1', '1e3']) expect(portFault(port), port).not.toBeNull();
});

it('fills in a template', () => {
  expect(filledTemplate('/Preview_{channel2}_main', 3, '')).toBe('/Preview_03_main');
  expect(filledTemplate('/{channel0}/c{channel}', 3, '')).toBe('/2/c3');
  expect(filledTemplate('/{token}', 1, 'a/b')).toBe('/a%2Fb');
});
