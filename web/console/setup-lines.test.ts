import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { isHostName, listenersOf, nginxLines, sluiceLines } from './setup-lines.ts';

const LISTENERS = { mediaListen: '127.0.0.1:8081', apiListen: '127.0.0.1:8080' };
const folder = mkdtempSync(join(tmpdir(), 'sluice-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

function loaded(yaml: string) {
  const path = join(folder, 'sluice.yaml');
  writeFileSync(path, yaml);
  return loadConfig({ env: {}, path });
}

describe('lines for sluice.yaml', () => {
  it.each([
    ['links alone', '', null],
    ['links and the console', 'console.example.com', 'https://console.example.com'],
  ])('are accepted and mean what they say: %s', (_what, apiHost, apiUrl) => {
    const config = loaded(sluiceLines({ ...LISTENERS, mediaHost: 'video.example.com', apiHost }));
    expect(config.public).toMatchObject({ mediaUrl: 'https://video.example.com', apiUrl });
    expect(config.trustProxy).toEqual(['127.0.0.1']);
    expect(config.listen).toMatchObject({ media: { host: '127.0.0.1', port: 8081 } });
  });

  it('bring a media listener on all addresses behind the proxy, and keep an API that stays in the network', () => {
    const open = { mediaListen: '0.0.0.0:9081', apiListen: '0.0.0.0:9080' };
    const config = loaded(sluiceLines({ ...open, mediaHost: 'video.example.com', apiHost: '' }));
    expect(config.listen).toMatchObject({
      media: { host: '127.0.0.1', port: 9081 },
      api: { host: '0.0.0.0', port: 9080 },
    });
  });
});

describe('lines for nginx', () => {
  it('pass WebSockets of both listeners on, hold nothing back, and log no links', () => {
    const lines = nginxLines({
      ...LISTENERS,
      mediaHost: 'video.example.com',
      apiHost: 'console.example.com',
    });
    expect(lines.match(/proxy_set_header Upgrade/g)).toHaveLength(2);
    expect(lines).toContain('location ~ ^/live/[^/]+/wsl?$');
    expect(lines).toContain('location = /websocket');
    expect(lines.match(/proxy_buffering off/g)).toHaveLength(4);
    expect(lines.match(/access_log off/g)).toHaveLength(2);
    expect(lines).toContain('location = /metrics { return 404; }');
    expect(nginxLines({ ...LISTENERS, mediaHost: 'video.example.com', apiHost: '' })).not.toContain(
      'sluice_api',
    );
  });
});

describe('a host name', () => {
  it.each(['video.example.com', 'a.bc', 'xn--bcher-kva.example', '1.example.org'])('can be %s', (name) => {
    expect(isHostName(name)).toBe(true);
  });

  it.each([
    '',
    'localhost',
    '192.0.2.1',
    'video.example.com; return 200',
    'a b.c',
    'a..bc',
    '-a.bc',
    'x.y\n',
    '{}.a',
  ])('cannot be %j', (name) => expect(isHostName(name)).toBe(false));

  it('never has a character that means something to nginx or YAML', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isHostName(text)) expect(text).toMatch(/^[a-z\d.-]+$/i);
      }),
    );
  });
});

it('knows the listeners, or what they are by default', () => {
  expect(listenersOf([])).toEqual(LISTENERS);
});
