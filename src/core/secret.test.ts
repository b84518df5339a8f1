import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialUrl, isTornUrl, Secret } from './secret.ts';

describe('Secret', () => {
  it('shows its value only when asked to', () => {
    const secret = new Secret('hunter2');
    expect(secret.reveal()).toBe('hunter2');
    for (const text of [`${secret}`, JSON.stringify({ secret }), inspect({ secret })]) {
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('isTornUrl', () => {
  it.each([
    'rtsp://admin:12/34@192.0.2.10/main',
    'rtsp://admin:1?2@host/main',
    'rtsp://admin:1#2@host/main',
    'rtsp://admin:p@1/2@host/main',
    'rtsp://ad.min:1/2@192.0.2.10/main',
    'rtsp://ad.min:1/2@host:554/main',
    'rtsp://192.0.2.10/main#sub',
  ])('%s is torn', (text) => expect(isTornUrl(text)).toBe(true));

  it.each([
    'rtsp://192.0.2.10/live@main',
    'rtsp://admin:p%2F1@192.0.2.10/live@main/track@1?user=a@b',
    'rtsp://cam.example.com/a@b',
    'rtsp://[fd00::8]/a@b',
    'rtsp://admin:p@ss@cam/main',
    'rtsp://cam/a%40b',
  ])('%s is whole', (text) => expect(isTornUrl(text)).toBe(false));
});

describe('CredentialUrl', () => {
  it('shows host and path, never the user info', () => {
    const url = new CredentialUrl('rtsp://admin:p%40ss@10.0.0.5:8554/Streaming/Channels/101?x=1');
    for (const text of [`${url}`, JSON.stringify({ url }), inspect({ url }), url.redacted()]) {
      expect(text).toContain('rtsp://10.0.0.5:8554/Streaming/Channels/101?x=1');
      expect(text).not.toMatch(/admin|p%40ss|p@ss/);
    }
    expect(url.credentials()?.username).toBe('admin');
    expect(url.credentials()?.password.reveal()).toBe('p@ss');
    expect([url.hostname, url.port, url.protocol]).toEqual(['10.0.0.5', 8554, 'rtsp:']);
  });

  it('shows no passphrase of an SRT URL', () => {
    const url = new CredentialUrl('srt://h:9000?streamid=a&passphrase=hunter2');
    expect(`${url}`).toBe('srt://h:9000?streamid=a');
    expect(url.reveal()).toContain('hunter2');
  });

  it('accepts a raw percent sign in a password (cameras with 100% as password)', () => {
    expect(new CredentialUrl('rtsp://u:100%@host/').credentials()?.password.reveal()).toBe('100%');
  });

  it.each([
    ['p@ss', 'p@ss'],
    ['a:b', 'a:b'],
    ['p%40ss%3A%2F%3F%23%25', 'p@ss:/?#%'],
    ['p@ss100%', 'p@ss100%'],
    ['%zz%41', '%zzA'],
    ['%C3%A4%ff', 'ä%ff'],
    ['pass wörd', 'pass wörd'],
  ])('reads the password of rtsp://admin:%s@host/ as %s', (written, password) => {
    const url = new CredentialUrl(`rtsp://admin:${written}@192.0.2.10/main`);
    expect([url.hostname, url.credentials()?.username]).toEqual(['192.0.2.10', 'admin']);
    expect(url.credentials()?.password.reveal()).toBe(password);
  });

  it.each([
    'rtsp://192.0.2.10/user=admin&password=hunter2&channel=1&stream=0.sdp',
    'rtsp://192.0.2.10/user=admin_password=hunter2_channel=1_stream=0.sdp?real_stream',
    'rtsp://192.0.2.10/live?usr=admin&pwd=hunter2',
    'rtsp://192.0.2.10/live?PASSWORD=hunter2/trackID=1',
    'rtsp://192.0.2.10/live?auth=hunter2',
  ])('prints %s without its password, and requests it as it is', (text) => {
    const url = new CredentialUrl(text);
    for (const printed of [`${url}`, JSON.stringify({ url }), inspect({ url })]) {
      expect(printed).not.toContain('hunter2');
      expect(printed).toContain('rtsp://192.0.2.10/');
    }
    expect([url.redacted(), url.reveal()]).toEqual([text, text]);
  });

  it('strips the brackets of an IPv6 host', () => {
    expect(new CredentialUrl('rtsp://[fd00::1]/a').hostname).toBe('fd00::1');
  });

  it('rejects what is not a URL without repeating it', () => {
    expect(() => new CredentialUrl('not a url with hunter2')).toThrow(/^not a URL$/);
  });
});
