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
    const none = { cert: null, key: null, acme: false };
    expect(tls).toMatchObject({ api: none, media: none, acme: { domains: [], termsAgreed: false } });
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
    expect(tls).toMatchObject({
      api: { cert: '/etc/b.pem', key: '/etc/b.key' },
      media: { cert: '/etc/a.pem', key: '/etc/a.key' },
    });
  });

  it('can be a certificate of an ACME server, by default that of Let’s Encrypt', () => {
    const { tls } = parse(
      'tls: { media: { acme: true }, acme: { domains: [Video.Example.com], termsAgreed: true } }',
    );
    expect(tls).toMatchObject({ media: { acme: true, cert: null }, api: { acme: false } });
    expect(tls.acme).toEqual({
      domains: ['video.example.com'],
      termsAgreed: true,
      email: null,
      ca: null,
      directory: 'https://acme-v02.api.letsencrypt.org/directory',
      http: { host: '0.0.0.0', port: 80 },
    });
  });

  it('can be an ACME server whose URL ends with a slash, which stays', () => {
    const { tls } = parse('tls: { acme: { directory: "https://acme.example.com/v2/directory/" } }');
    expect(tls.acme.directory).toBe('https://acme.example.com/v2/directory/');
  });

  it.each([
    [
      'tls: { media: { acme: true, cert: /a, key: /b }, acme: { domains: [a.example], termsAgreed: true } }',
      'tls.media.acme: cannot be combined with tls.media.cert and key',
    ],
    [
      'tls: { media: { acme: true }, acme: { termsAgreed: true } }',
      'tls.acme.domains: is required with tls.media.acme',
    ],
    [
      'tls: { api: { acme: true }, acme: { domains: [a.example] } }',
      'tls.acme.termsAgreed: must be true with',
    ],
    ['tls: { acme: { domains: [a.example] } }', 'tls.acme.domains: has no effect without tls.media.acme'],
    [
      'tls: { api: { acme: true }, acme: { domains: [a.example], termsAgreed: true, directory: "http://a/dir" } }',
      'tls.acme.directory: expected a URL that starts with https://',
    ],
    [
      'tls: { api: { acme: true }, acme: { domains: [a.example], termsAgreed: true, directory: "https://me:pw@a/dir" } }',
      'tls.acme.directory: expected a URL that starts with https://',
    ],
    [
      'tls: { api: { acme: true }, acme: { domains: [a.example, b.example, A.example], termsAgreed: true } }',
      'tls.acme.domains: has a.example twice',
    ],
    ['tls: { acme: { email: nobody } }', 'tls.acme.email: expected an email address'],
    ['tls: { acme: { http: "80" } }', 'tls.acme.http: expected host:port'],
    ['tls: { acme: { domains: ["*.example.com"] } }', 'tls.acme.domains: '],
    ['tls: { acme: { domains: [192.0.2.1] } }', 'tls.acme.domains: '],
    [
      'h2c: { api: true }\ntls: { api: { acme: true }, acme: { domains: [a.example], termsAgreed: true } }',
      'h2c.api: has no meaning with tls.api',
    ],
    ['tls: { media: { cert: /etc/a.pem } }', 'tls.media.key: is required with tls.media.cert'],
    ['tls: { api: { key: /etc/a.key } }', 'tls.api.cert: is required with tls.api.key'],
    [
      'rtsp: { udpPort: 8001, listen: "0.0.0.0:8554" }',
      'rtsp.udpPort: must be even: the next port is that of RTCP',
    ],
    ['rtsp: { udpPort: 8000 }', 'rtsp.udpPort: needs rtsp.listen'],
    ['rtsp: { secureListen: "0.0.0.0:8322" }', 'rtsp.secureListen: needs the certificate of tls.media'],
    [
      'public: { rtspUrl: "https://video.example.com" }',
      'public.rtspUrl: expected a URL that starts with rtsp:// or rtsps:// and has a host, perhaps with a port',
    ],
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
