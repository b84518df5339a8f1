import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialUrl, Secret } from './secret.ts';

describe('Secret', () => {
  it('shows its value only when asked to', () => {
    const secret = new Secret('hunter2');
    expect(secret.reveal()).toBe('hunter2');
    for (const text of [`${secret}`, JSON.stringify({ secret }), inspect({ secret })]) {
      expect(text).not.toContain('hunter2');
    }
  });
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

  it('accepts a raw percent sign in a password (cameras with 100% as password)', () => {
    expect(new CredentialUrl('rtsp://u:100%@host/').credentials()?.password.reveal()).toBe('100%');
  });

  it('strips the brackets of an IPv6 host', () => {
    expect(new CredentialUrl('rtsp://[fd00::1]/a').hostname).toBe('fd00::1');
  });

  it('rejects what is not a URL without repeating it', () => {
    expect(() => new CredentialUrl('not a url with hunter2')).toThrow(/^not a URL$/);
  });
});
