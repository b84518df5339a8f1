import { describe, expect, it } from 'vitest';
import { ConfigError, describeProblem } from './errors.ts';
import { parseConfig } from './load-config.ts';

const parse = (text: string, env: Record<string, string> = {}) => parseConfig(text, 'sluice.yaml', env);

function problemsOf(text: string): string[] {
  try {
    parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(describeProblem);
  }
}

describe('what listeners do besides HTTP/1.1', () => {
  it('is nothing by default', () => {
    const { tls, h2c, proxyProtocol } = parse('');
    expect(tls).toEqual({ api: { cert: null, key: null }, media: { cert: null, key: null } });
    expect([h2c, proxyProtocol]).toEqual([
      { api: false, media: false },
      { api: false, media: false },
    ]);
  });

  it('can be set for either listener, in the file and the environment', () => {
    const { tls } = parse('tls: { media: { cert: /etc/a.pem, key: /etc/a.key } }', {
      SLUICE_TLS_API_CERT: '/etc/b.pem',
      SLUICE_TLS_API_KEY: '/etc/b.key',
    });
    expect(tls).toEqual({
      api: { cert: '/etc/b.pem', key: '/etc/b.key' },
      media: { cert: '/etc/a.pem', key: '/etc/a.key' },
    });
  });

  it.each([
    ['tls: { media: { cert: /etc/a.pem } }', 'tls.media.key: is required with tls.media.cert'],
    ['tls: { api: { key: /etc/a.key } }', 'tls.api.cert: is required with tls.api.key'],
    [
      'proxyProtocol: { media: true }',
      'proxyProtocol.media: needs trustProxy, with the addresses of the proxies',
    ],
    [
      'h2c: { media: true }\ntls: { media: { cert: /etc/a.pem, key: /etc/a.key } }',
      'h2c.media: has no meaning with tls.media: the port speaks TLS',
    ],
  ])('is refused as %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });
});
