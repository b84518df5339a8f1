import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { Secret } from '../core/secret.ts';
import {
  buildAuthorization,
  buildDigestChallenge,
  type Credentials,
  type DigestAlgorithm,
  parseChallenge,
  verifyBasic,
  verifyDigest,
} from './auth.ts';

const MUFASA: Credentials = { username: 'Mufasa', password: new Secret('Circle of Life') };
const REQUEST = { method: 'DESCRIBE', uri: 'rtsp://cam/a', nonceCount: 1, cnonce: 'abc' };

describe('parseChallenge', () => {
  it.each([
    ['Basic', ['Basic realm="cam"'], { scheme: 'basic', realm: 'cam' }],
    [
      'Digest of RFC 2069',
      ['Digest realm="cam", nonce="n"'],
      { algorithm: 'MD5', hasAlgorithm: false, qop: 'none' },
    ],
    [
      'Digest before Basic',
      ['Basic realm="b"', 'Digest realm="d", nonce="n"'],
      { scheme: 'digest', realm: 'd' },
    ],
    ['both in one field', ['Basic realm="b", Digest realm="d", nonce="n"'], { scheme: 'digest', realm: 'd' }],
    [
      'SHA-256 before MD5 (Axis offers both)',
      [
        'Digest realm="d", nonce="1", algorithm=MD5',
        'Digest realm="d", nonce="2", algorithm=SHA-256, qop="auth"',
      ],
      { nonce: '2', algorithm: 'SHA-256', qop: 'auth' },
    ],
    [
      'an unknown algorithm next to MD5',
      ['Digest nonce="1", algorithm=SHA-512-256', 'Digest nonce="2"'],
      { nonce: '2' },
    ],
    ['qop with a choice', ['Digest nonce="n", qop="auth-int,auth"'], { qop: 'auth' }],
    ['an empty algorithm', ['Digest nonce="n", algorithm=""'], { algorithm: 'MD5', hasAlgorithm: false }],
    ['stale in quotes and upper case', ['digest NONCE="n", STALE="TRUE"'], { isStale: true }],
    ['unquoted values, no commas', ['Digest realm=cam nonce=n=='], { realm: 'cam', nonce: 'n==' }],
    ['escapes', ['Digest realm="a\\"b", nonce="n", opaque=""'], { realm: 'a"b', opaque: '' }],
  ])('reads %s', (_, headers, expected) => {
    expect(parseChallenge(headers)).toMatchObject(expected);
  });

  it.each([
    ['nothing', []],
    ['another scheme', ['Negotiate']],
    ['integrity only', ['Digest nonce="n", qop="auth-int"']],
    ['no nonce', ['Digest realm="x"']],
    ['an empty field', ['']],
  ])('finds no challenge in %s', (_, headers) => {
    expect(parseChallenge(headers)).toBeNull();
  });

  it('never throws', () => {
    const header = fc
      .array(fc.constantFrom('Digest', 'Basic', ' ', ',', '=', '"', '\\', 'nonce', 'x'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(header, (text) => {
        const challenge = parseChallenge([text]);
        expect(challenge === null || challenge.scheme === 'basic' || challenge.scheme === 'digest').toBe(
          true,
        );
      }),
      randomRuns(5_000),
    );
  });
});

describe('buildAuthorization', () => {
  it('computes the responses of RFC 7616 §3.9.1', () => {
    const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
    const request = {
      method: 'GET',
      uri: '/dir/index.html',
      nonceCount: 1,
      cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    };
    const respond = (algorithm: DigestAlgorithm) => {
      const challenge = parseChallenge([
        buildDigestChallenge('http-auth@example.org', nonce, algorithm, 'auth'),
      ])!;
      return /response="([0-9a-f]+)"/.exec(buildAuthorization(challenge, MUFASA, request))?.[1];
    };
    expect(respond('MD5')).toBe('8ca523f5e9506fed4657c9700eebdbec');
    expect(respond('SHA-256')).toBe('753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1');
  });

  it('repeats what the camera sent and nothing else', () => {
    const bare = buildAuthorization(parseChallenge(['Digest realm="r", nonce="n"'])!, MUFASA, REQUEST);
    expect(bare).toMatch(
      /^Digest username="Mufasa", realm="r", nonce="n", uri="rtsp:\/\/cam\/a", response="[0-9a-f]{32}"$/,
    );
    const full = buildAuthorization(
      parseChallenge(['Digest realm="r", nonce="n", opaque="o", algorithm=MD5, qop="auth"'])!,
      MUFASA,
      REQUEST,
    );
    expect(full).toMatch(/, algorithm=MD5, opaque="o", qop=auth, nc=00000001, cnonce="abc"$/);
  });

  it('writes Basic in UTF-8 (RFC 7617 §2.1)', () => {
    const credentials = { username: 'test', password: new Secret('123£') };
    expect(buildAuthorization({ scheme: 'basic', realm: 'foo' }, credentials, REQUEST)).toBe(
      'Basic dGVzdDoxMjPCow==',
    );
  });
});

describe('a server', () => {
  const password = new Secret('pä"ss');
  const credentials: Credentials = { username: 'us\\er', password };
  const cases = (['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess'] as const).flatMap((algorithm) =>
    (['auth', 'none'] as const).map((qop) => ({ algorithm, qop })),
  );

  it.each(cases.filter(({ algorithm, qop }) => qop === 'auth' || !algorithm.endsWith('-sess')))(
    'accepts its own $algorithm challenge answered with qop $qop, and no other',
    ({ algorithm, qop }) => {
      const challenge = parseChallenge([buildDigestChallenge('re"alm', 'nonce', algorithm, qop)])!;
      const authorization = buildAuthorization(challenge, credentials, REQUEST);
      const { method, uri } = REQUEST;
      const expected = { method, uri, realm: 're"alm', nonce: 'nonce', algorithm, qop, credentials };
      expect(verifyDigest(authorization, expected)).toBe(true);
      for (const wrong of [
        { method: 'PLAY' },
        { uri: 'rtsp://cam/b' },
        { nonce: 'other' },
        { realm: 'other' },
        { credentials: { username: 'us\\er', password: new Secret('other') } },
        { credentials: { username: 'other', password } },
      ]) {
        expect(verifyDigest(authorization, { ...expected, ...wrong })).toBe(false);
      }
    },
  );

  it('marks a stale nonce', () => {
    expect(parseChallenge([buildDigestChallenge('r', 'n', 'MD5', 'auth', true)])).toMatchObject({
      isStale: true,
    });
  });

  it('verifies Basic', () => {
    const authorization = buildAuthorization({ scheme: 'basic', realm: '' }, credentials, REQUEST);
    expect(verifyBasic(authorization, credentials)).toBe(true);
    expect(verifyBasic(authorization, MUFASA)).toBe(false);
    expect(verifyBasic('Basic', MUFASA)).toBe(false);
    expect(
      verifyDigest(authorization, {
        ...REQUEST,
        realm: '',
        nonce: '',
        algorithm: 'MD5',
        qop: 'none',
        credentials,
      }),
    ).toBe(false);
  });
});
