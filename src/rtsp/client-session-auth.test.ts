import { describe, expect, it } from 'vitest';
import { buildDigestChallenge, type DigestAlgorithm, verifyBasic, verifyDigest } from './auth.ts';
import { CREDENTIALS, Rig } from './client-session-fixture.ts';
import type { RtspHeaderField } from './headers.ts';

describe('authentication', () => {
  const challenges: readonly [string, DigestAlgorithm, 'auth' | 'none'][] = [
    ['MD5 without qop', 'MD5', 'none'],
    ['MD5', 'MD5', 'auth'],
    ['SHA-256', 'SHA-256', 'auth'],
  ];

  it.each(challenges)('responds to Digest with %s, and in every later request too', (_, algorithm, qop) => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', buildDigestChallenge('cam', 'nonce', algorithm, qop)]]);
    rig.play();
    expect(rig.events).toEqual(['ready', 'playing']);
    const responded = rig.requests.slice(1);
    for (const { method, uri, headers } of responded) {
      const expected = {
        method,
        uri,
        realm: 'cam',
        nonce: 'nonce',
        algorithm,
        qop,
        credentials: CREDENTIALS,
      };
      expect(verifyDigest(headers.get('Authorization')!, expected)).toBe(true);
    }
    const counts = responded.map(
      ({ headers }) => /nc=(\w+)/.exec(headers.get('Authorization')!)?.[1] ?? null,
    );
    const expectedCounts = ['00000001', '00000002', '00000003', '00000004', '00000005'];
    expect(counts).toEqual(qop === 'auth' ? expectedCounts : counts.map(() => null));
  });

  it('answers Basic', () => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', 'Basic realm="cam"']]);
    expect(verifyBasic(rig.newest.headers.get('Authorization')!, CREDENTIALS)).toBe(true);
  });

  it('does not send credentials without a challenge', () => {
    expect(new Rig().newest.headers.get('Authorization')).toBeNull();
  });

  const digest = (nonce: string, isStale = false): readonly RtspHeaderField[] => [
    ['WWW-Authenticate', buildDigestChallenge('cam', nonce, 'MD5', 'none', isStale)],
  ];

  it('does not try again when the credentials are wrong', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.answer(401, digest('two'));
    expect(rig.events).toEqual(['failed RTSP_AUTH_FAILED']);
    expect(rig.error!.context.reason).toBe('wrong-credentials');
    expect(rig.requests).toHaveLength(2);
  });

  it('tries again when the nonce is stale, but not forever', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.answer(401, digest('two', true));
    expect(rig.newest.headers.get('Authorization')).toContain('nonce="two"');
    rig.answer(401, digest('three', true));
    expect(rig.events).toEqual(['failed RTSP_AUTH_FAILED']);
  });

  it('tries again when the nonce changes silently after it had worked (Hikvision)', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.answer(200);
    rig.answer(401, digest('two'));
    expect(rig.newest.method).toBe('DESCRIBE');
    expect(rig.newest.headers.get('Authorization')).toContain('nonce="two"');
  });

  it('renews the nonce of a keep-alive', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.play();
    rig.session.wake(10_000);
    rig.answer(401, digest('two'));
    expect(rig.newest.headers.get('Authorization')).toContain('nonce="two"');
    expect(rig.events).not.toContain('failed RTSP_AUTH_FAILED');
  });

  it('fails without credentials', () => {
    const rig = new Rig('rtsp://cam/live');
    rig.answer(401, digest('one'));
    expect(rig.error).toMatchObject({
      code: 'RTSP_AUTH_FAILED',
      context: { reason: 'no-credentials-configured' },
    });
  });

  it('fails on schemes that it does not know', () => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', 'Negotiate']]);
    expect(rig.events).toEqual(['failed RTSP_AUTH_UNSUPPORTED']);
  });
});
