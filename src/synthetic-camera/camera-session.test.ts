import { describe, expect, it } from 'vitest';
import { Secret } from '../core/secret.ts';
import { buildAuthorization, parseChallenge } from '../rtsp/auth.ts';
import type { RtspHeaderField } from '../rtsp/headers.ts';
import type { RtspRequest, RtspResponse } from '../rtsp/message.ts';
import { RtspMessageReader } from '../rtsp/message-reader.ts';
import { writeRequest } from '../rtsp/message-writer.ts';
import { CameraSession, type SessionCamera } from './camera-session.ts';

const URL = 'rtsp://127.0.0.1:8554/stream';
const TCP: RtspHeaderField = ['Transport', 'RTP/AVP/TCP;unicast;interleaved=0-1'];
const UDP: RtspHeaderField = ['Transport', 'RTP/AVP;unicast;client_port=5000-5001'];

/** A session whose camera records the reports that it gets. */
class Harness {
  readonly calls: string[] = [];
  readonly session: CameraSession;
  #cseq = 0;
  #sessionId: string | null = null;

  constructor(options: Partial<SessionCamera> = {}) {
    this.session = new CameraSession({
      path: '/stream',
      sdp: 'v=0\r\n',
      trackCount: 2,
      transports: ['tcp', 'udp'],
      credentials: null,
      sessionTimeoutSec: 60,
      serverPorts: { rtp: 6_000, rtcp: 6_001 },
      admit: () => this.calls.push('admit') > 0,
      play: (senders) => {
        this.calls.push(`play ${senders.filter((sender) => sender !== null).length}`);
        return [0, 0];
      },
      pause: () => void this.calls.push('pause'),
      end: () => void this.calls.push('end'),
      ...options,
    });
  }

  ask(method: string, uri = URL, fields: readonly RtspHeaderField[] = [], body = ''): RtspResponse {
    this.#cseq += 1;
    const session: RtspHeaderField[] = this.#sessionId === null ? [] : [['Session', this.#sessionId]];
    const request = read(writeRequest(method, uri, [['CSeq', `${this.#cseq}`], ...session, ...fields], body));
    const response = read(this.session.respond(request as RtspRequest)) as RtspResponse;
    expect(response.headers.get('CSeq')).toBe(`${this.#cseq}`);
    this.#sessionId = response.headers.get('Session')?.split(';')[0] ?? this.#sessionId;
    return response;
  }

  setUpBoth(): void {
    expect(this.ask('SETUP', `${URL}/trackID=0`, [TCP]).statusCode).toBe(200);
    const second: RtspHeaderField = ['Transport', 'RTP/AVP/TCP;unicast;interleaved=2-3'];
    expect(this.ask('SETUP', `${URL}/trackID=1`, [second]).statusCode).toBe(200);
  }
}

function read(bytes: Buffer): RtspRequest | RtspResponse {
  const seen: (RtspRequest | RtspResponse)[] = [];
  const reader = new RtspMessageReader({
    onRequest: (request) => seen.push(request),
    onResponse: (response) => seen.push(response),
    onInterleaved: () => expect.unreachable(),
  });
  reader.push(bytes);
  expect(seen).toHaveLength(1);
  return seen[0]!;
}

describe('CameraSession', () => {
  it('goes from DESCRIBE to TEARDOWN', () => {
    const harness = new Harness();
    expect(harness.ask('OPTIONS', '*').headers.get('Public')).toContain('SETUP');
    const description = harness.ask('DESCRIBE', `${URL}?camera=3`);
    expect(description.headers.get('Content-Base')).toBe(`${URL}/`);
    expect(Buffer.from(description.body).toString()).toBe('v=0\r\n');
    harness.setUpBoth();
    const playing = harness.ask('PLAY', `${URL}/`);
    expect(playing.headers.get('RTP-Info')).toMatch(
      /^url=rtsp:\/\/127\.0\.0\.1:8554\/stream\/trackID=0;seq=\d+;rtptime=\d+,url=.*trackID=1;seq=\d+;rtptime=\d+$/,
    );
    expect(playing.headers.get('Session')).toMatch(/^[0-9a-f]{16};timeout=60$/);
    expect(harness.ask('GET_PARAMETER').statusCode).toBe(200);
    expect(harness.ask('PAUSE').statusCode).toBe(200);
    expect(harness.ask('PLAY').statusCode).toBe(200);
    expect(harness.ask('TEARDOWN').statusCode).toBe(200);
    expect(harness.calls).toEqual(['admit', 'play 2', 'pause', 'play 2', 'end']);
  });

  it('offers TCP and UDP and names the sender', () => {
    const harness = new Harness();
    const tcp = harness.ask('SETUP', `${URL}/trackID=0`, [TCP]).headers.get('Transport');
    expect(tcp).toMatch(/^RTP\/AVP\/TCP;unicast;interleaved=0-1;ssrc=[0-9A-F]{8}$/);
    const udp = new Harness().ask('SETUP', `${URL}/trackID=0`, [UDP]).headers.get('Transport');
    expect(udp).toMatch(/^RTP\/AVP;unicast;client_port=5000-5001;server_port=6000-6001;ssrc=[0-9A-F]{8}$/);
  });

  it('gives a second track other channels if the requested ones are taken', () => {
    const harness = new Harness();
    harness.ask('SETUP', `${URL}/trackID=0`, [TCP]);
    expect(harness.ask('SETUP', `${URL}/trackID=1`, [TCP]).headers.get('Transport')).toContain(
      'interleaved=2-3',
    );
  });

  it('takes the first offer it can serve', () => {
    const offers =
      'RTP/AVP;multicast, RTP/AVP/UDP;unicast;client_port=4000-4001, RTP/AVP/TCP;unicast;interleaved=4-5';
    const harness = new Harness({ transports: ['tcp'] });
    const response = harness.ask('SETUP', `${URL}/trackID=0`, [['Transport', offers]]);
    expect(response.headers.get('Transport')).toContain('interleaved=4-5');
  });

  it.each([
    ['another path', 404, (h: Harness) => h.ask('DESCRIBE', 'rtsp://127.0.0.1/other')],
    ['an invalid URI', 404, (h: Harness) => h.ask('DESCRIBE', 'nonsense')],
    ['a track that is not there', 404, (h: Harness) => h.ask('SETUP', `${URL}/trackID=7`, [TCP])],
    ['a whole stream in one SETUP', 459, (h: Harness) => h.ask('SETUP', URL, [TCP])],
    [
      'multicast',
      461,
      (h: Harness) => h.ask('SETUP', `${URL}/trackID=0`, [['Transport', 'RTP/AVP;multicast']]),
    ],
    ['no transport at all', 461, (h: Harness) => h.ask('SETUP', `${URL}/trackID=0`)],
    ['PLAY before SETUP', 455, (h: Harness) => h.ask('PLAY')],
    ['PAUSE before SETUP', 455, (h: Harness) => h.ask('PAUSE')],
    ['TEARDOWN without a session', 454, (h: Harness) => h.ask('TEARDOWN')],
    ['another client’s session', 454, (h: Harness) => h.ask('PLAY', URL, [['Session', 'deadbeef']])],
    ['recording', 405, (h: Harness) => h.ask('RECORD')],
    ['an unknown method', 501, (h: Harness) => h.ask('DANCE')],
    ['an unknown feature', 551, (h: Harness) => h.ask('OPTIONS', '*', [['Require', 'funky']])],
    ['a parameter', 451, (h: Harness) => h.ask('GET_PARAMETER', URL, [], 'packets_received\r\n')],
  ])('refuses %s with %i', (_title, statusCode, ask) => {
    const harness = new Harness();
    expect(ask(harness).statusCode).toBe(statusCode);
    expect(harness.calls).toEqual([]);
  });

  it('refuses SETUP while playing and PLAY of one track of two', () => {
    const harness = new Harness();
    harness.setUpBoth();
    expect(harness.ask('PLAY', `${URL}/trackID=0`).statusCode).toBe(459);
    harness.ask('PLAY');
    expect(harness.ask('SETUP', `${URL}/trackID=0`, [TCP]).statusCode).toBe(455);
  });

  it('refuses one client too many, and creates no session for it', () => {
    const harness = new Harness({ admit: () => false });
    const response = harness.ask('SETUP', `${URL}/trackID=0`, [TCP]);
    expect([response.statusCode, response.headers.get('Session')]).toEqual([453, null]);
    harness.session.end();
    expect(harness.calls).toEqual([]);
  });

  it('requires a sequence number and version 1.0', () => {
    const harness = new Harness();
    const noCseq = read(Buffer.from(`OPTIONS * RTSP/1.0\r\n\r\n`)) as RtspRequest;
    expect((read(harness.session.respond(noCseq)) as RtspResponse).statusCode).toBe(400);
    const version2 = read(Buffer.from(`OPTIONS * RTSP/2.0\r\nCSeq: 1\r\n\r\n`)) as RtspRequest;
    expect((read(harness.session.respond(version2)) as RtspResponse).statusCode).toBe(505);
  });

  it.each(['MD5', 'SHA-256'] as const)('asks for credentials: %s', (algorithm) => {
    const credentials = { username: 'user', password: new Secret('pass'), algorithm };
    const harness = new Harness({ credentials });
    expect(harness.ask('OPTIONS', '*').statusCode).toBe(200);
    const refused = harness.ask('DESCRIBE');
    expect(refused.statusCode).toBe(401);
    const challenge = parseChallenge(refused.headers.all('WWW-Authenticate'))!;
    expect(challenge).toMatchObject({ scheme: 'digest', algorithm, qop: 'auth' });
    const respond = (password: string): RtspHeaderField => {
      const request = { method: 'DESCRIBE', uri: URL, nonceCount: 1, cnonce: 'c' };
      const given = { username: 'user', password: new Secret(password) };
      return ['Authorization', buildAuthorization(challenge, given, request)];
    };
    expect(harness.ask('DESCRIBE', URL, [respond('wrong')]).statusCode).toBe(401);
    expect(harness.ask('DESCRIBE', URL, [respond('pass')]).statusCode).toBe(200);
    // The response covers method and URI.
    expect(harness.ask('SETUP', URL, [respond('pass')]).statusCode).toBe(401);
  });
});
