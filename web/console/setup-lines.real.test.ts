import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nginxLines } from './setup-lines.ts';

const LISTENERS = { mediaListen: '127.0.0.1:8081', apiListen: '127.0.0.1:8080' };
const folder = mkdtempSync(join(tmpdir(), 'sluice-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('lines for nginx', () => {
  it('are accepted by nginx', () => {
    const pem = join(folder, 'any.pem');
    const subject = ['-subj', '/CN=video.example.com', '-keyout', pem, '-out', `${pem}.crt`];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject], {
      stdio: 'ignore',
    });
    const lines = nginxLines({ ...LISTENERS, mediaHost: 'video.example.com', apiHost: 'console.example.com' })
      .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${pem};`)
      .replaceAll(/ssl_certificate {2}.*;/g, `ssl_certificate ${pem}.crt;`);
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${lines}}\n`);
    const arguments_ = ['-t', '-q', '-p', folder, '-c', file, '-e', join(folder, 'error.log')];
    expect(() => execFileSync('/usr/sbin/nginx', arguments_, { stdio: 'pipe' })).not.toThrow();
  });
});
