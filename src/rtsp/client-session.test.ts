import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { GatewayError } from '../core/errors.ts';
import { CredentialUrl, Secret } from '../core/secret.ts';
import { buildDigestChallenge, type DigestAlgorithm, verifyBasic, verifyDigest } from './auth.ts';
import { RtspClientSession } from './client-session.ts';
import type { ClientSessionEvents, ReadyTrack } from './client-session-events.ts';
import type { RtspHeaderField } from './headers.ts';
import type { RtspRequest, RtspResponse } from './message.ts';
import { RtspMessageReader } from './message-reader.ts';
import { writeRequest, writeResponse } from './message-writer.ts';
import type { RtpInfo } from './rtp-info.ts';
import type { SkippedTrack } from './track-selection.ts';

const LIMITS = { stepMs: 1_000, handshakeMs: 3_000 };
const CREDENTIALS = { username: 'admin', password: new Secret('s3cret') };
const URL = 'rtsp://admin:s3cret@cam/live';
const SDP = [
  'v=0',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 mpeg4-generic/16000/1',
  'a=fmtp:97 mode=AAC-hbr;config=1408;sizelength=13;indexlength=3;indexdeltalength=3',
  'a=control:trackID=2',
  'm=application 0 RTP/AVP 107',
  'a=rtpmap:107 vnd.onvif.metadata/90000',
  '',
].join('\r\n');

/** A session whose camera is the test: requests arrive in `requests`, `answer` replies to the newest. */
class Rig implements ClientSessionEvents {
  readonly session: RtspClientSession;
  readonly requests: RtspRequest[] = [];
  readonly responses: RtspResponse[] = [];
  readonly events: string[] = [];
  readonly sent: Uint8Array[] = [];
  readyTracks: readonly ReadyTrack[] = [];
  skipped: readonly SkippedTrack[] = [];
  rtpInfos: readonly (RtpInfo | null)[] = [];
  error: GatewayError | null = null;
  nowMonoMs = 0;
  transport: 'tcp' | 'udp' | 'none' = 'tcp';
  readonly #reader = new RtspMessageReader({
    onRequest: (request) => void this.requests.push(request),
    onResponse: (response) => void this.responses.push(response),
    onInterleaved: (channel, chunk, start, end) =>
      void this.events.push(`sent ${channel} ${Buffer.from(chunk.subarray(start, end)).toString('hex')}`),
  });

  constructor(url = URL) {
    this.session = new RtspClientSession({
      url: new CredentialUrl(url),
      events: this,
      limits: LIMITS,
      makeCnonce: () => 'cnonce',
    });
    this.session.start(0);
  }

  get newest(): RtspRequest {
    return this.requests.at(-1)!;
  }

  /** `METHOD uri` of everything asked so far. */
  get asked(): string[] {
    return this.requests.map(({ method, uri }) => `${method} ${uri}`);
  }

  /** Answers the newest request. `fields` may hold a CSeq of its own, `null` for none. */
  answer(statusCode: number, fields: readonly RtspHeaderField[] = [], body = '', cseq?: string | null): void {
    const echoed = cseq === undefined ? this.newest.headers.get('CSeq') : cseq;
    const all: RtspHeaderField[] = echoed === null ? [] : [['CSeq', echoed]];
    this.push(writeResponse(statusCode, 'Status', [...all, ...fields], body));
  }

  push(bytes: Uint8Array): void {
    this.session.push(bytes, this.nowMonoMs);
  }

  /** Answers everything up to and without the answer to `method`. */
  runTo(method: 'DESCRIBE' | 'SETUP' | 'PLAY'): this {
    this.answer(200, [['Public', 'OPTIONS, DESCRIBE, GET_PARAMETER']]);
    if (method !== 'DESCRIBE') this.answer(200, [['Content-Base', 'rtsp://cam/live/']], SDP);
    if (method === 'PLAY') this.setUpBoth();
    return this;
  }

  setUpBoth(): void {
    for (const channels of ['0-1', '2-3']) {
      this.answer(200, [
        ['Session', '77;timeout=20'],
        ['Transport', `RTP/AVP/TCP;unicast;interleaved=${channels}`],
      ]);
    }
  }

  play(fields: readonly RtspHeaderField[] = []): this {
    this.runTo('PLAY').answer(200, [['Session', '77'], ...fields]);
    return this;
  }

  onSend(bytes: Uint8Array): void {
    this.sent.push(bytes);
    this.#reader.push(bytes);
  }
  onDescribed(): void {
    if (this.transport === 'tcp') this.session.setUp({ kind: 'tcp' }, this.nowMonoMs);
    const clientPorts = [
      { rtp: 5000, rtcp: 5001 },
      { rtp: 5002, rtcp: 5003 },
    ];
    if (this.transport === 'udp') this.session.setUp({ kind: 'udp', clientPorts }, this.nowMonoMs);
  }
  onReady(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): void {
    this.readyTracks = tracks;
    this.skipped = skipped;
    this.events.push('ready');
  }
  onPlaying(rtpInfos: readonly (RtpInfo | null)[]): void {
    this.rtpInfos = rtpInfos;
    this.events.push('playing');
  }
  onRtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.events.push(`rtp ${trackIndex} ${Buffer.from(chunk.subarray(start, end)).toString()}`);
  }
  onRtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.events.push(`rtcp ${trackIndex} ${Buffer.from(chunk.subarray(start, end)).toString()}`);
  }
  onRedirect(location: string): void {
    this.events.push(`redirect ${location}`);
  }
  onFailed(error: GatewayError): void {
    this.error = error;
    this.events.push(`failed ${error.code}`);
  }
  onTornDown(): void {
    this.events.push('torn down');
  }
}

function frame(channel: number, payload: string): Buffer {
  return Buffer.concat([Buffer.from([0x24, channel, 0, payload.length]), Buffer.from(payload)]);
}

describe('the handshake', () => {
  it('asks OPTIONS, DESCRIBE, SETUP for each wanted track and PLAY', () => {
    const rig = new Rig().play([['RTP-Info', 'url=trackID=2;seq=7;rtptime=8']]);
    expect(rig.asked).toEqual([
      'OPTIONS rtsp://cam/live',
      'DESCRIBE rtsp://cam/live',
      'SETUP rtsp://cam/live/trackID=1',
      'SETUP rtsp://cam/live/trackID=2',
      'PLAY rtsp://cam/live/',
    ]);
    expect(rig.requests.map(({ headers }) => headers.get('CSeq'))).toEqual(['1', '2', '3', '4', '5']);
    expect(rig.requests.map(({ headers }) => headers.get('Session'))).toEqual([null, null, null, '77', '77']);
    expect(rig.requests[3]!.headers.get('Transport')).toBe('RTP/AVP/TCP;unicast;interleaved=2-3');
    expect(rig.events).toEqual(['ready', 'playing']);
    expect(rig.readyTracks.map(({ selected }) => selected.encoding)).toEqual(['h264', 'aac']);
    expect(rig.skipped).toEqual([
      { kind: 'application', encodings: ['vnd.onvif.metadata'], reason: 'unsupported' },
    ]);
    expect(rig.rtpInfos).toEqual([null, { url: 'trackID=2', seq: 7, rtpTime: 8 }]);
  });

  it('plays when every answer comes byte by byte', () => {
    const rig = new Rig();
    const push = rig.push.bind(rig);
    rig.push = (bytes) => bytes.forEach((byte) => void push(Uint8Array.of(byte)));
    expect(rig.play().events).toEqual(['ready', 'playing']);
  });

  it('works without Public, Session, Transport, CSeq and Content-Base', () => {
    const rig = new Rig();
    rig.answer(200, [], '', null);
    rig.answer(200, [], SDP, null);
    for (let index = 0; index < 3; index++) rig.answer(200, [], '', null);
    expect(rig.events).toEqual(['ready', 'playing']);
    expect(rig.asked.at(-1)).toBe('PLAY rtsp://cam/live');
    rig.push(frame(2, 'sound'));
    expect(rig.events.at(-1)).toBe('rtp 1 sound');
  });

  it('goes on when the camera does not know OPTIONS', () => {
    const rig = new Rig();
    rig.answer(501);
    expect(rig.newest.method).toBe('DESCRIBE');
  });

  it('resolves controls of a base with a query (Dahua)', () => {
    const rig = new Rig('rtsp://192.168.1.108/cam/realmonitor?channel=1&subtype=0');
    rig.answer(200);
    rig.push(answerOf('dahua', '2'));
    const base = 'rtsp://192.168.1.108:554/cam/realmonitor?channel=1&subtype=0&unicast=true&proto=Onvif/';
    expect(rig.asked.at(-1)).toBe(`SETUP ${base}trackID=0`);
    rig.setUpBoth();
    expect(rig.asked.at(-1)).toBe(`PLAY ${base}`);
  });

  it('takes absolute controls and plays the session control (Axis)', () => {
    const rig = new Rig('rtsp://192.168.0.90/axis-media/media.amp');
    rig.answer(200);
    rig.push(answerOf('axis', '2'));
    const base = 'rtsp://192.168.0.90/axis-media/media.amp';
    expect(rig.asked.at(-1)).toBe(`SETUP ${base}/stream=0?videocodec=h264&audio=1`);
    rig.setUpBoth();
    expect(rig.asked.at(-1)).toBe(`PLAY ${base}?videocodec=h264&audio=1`);
  });

  it('sets up video alone when the camera refuses its audio', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Session', '1']]);
    rig.answer(500);
    expect(rig.newest.method).toBe('PLAY');
    expect(rig.readyTracks).toHaveLength(1);
    expect(rig.skipped.at(-1)).toEqual({ kind: 'audio', encodings: ['mpeg4-generic'], reason: 'refused' });
  });

  it('keeps the first session id when a later answer has another (H264DVR)', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Session', '231970;timeout=60']]);
    expect(rig.newest.headers.get('Session')).toBe('231970');
    rig.answer(200, [['Session', '231980;timeout=60']]);
    expect([rig.newest.method, rig.newest.headers.get('Session')]).toEqual(['PLAY', '231970']);
    rig.answer(200, [['Session', '231980']]);
    rig.session.wake(30_000);
    expect([rig.newest.method, rig.newest.headers.get('Session')]).toEqual(['GET_PARAMETER', '231970']);
  });

  it("asks for UDP ports and reports the camera's", () => {
    const rig = new Rig();
    rig.transport = 'udp';
    rig.runTo('SETUP');
    expect(rig.newest.headers.get('Transport')).toBe('RTP/AVP;unicast;client_port=5000-5001');
    rig.answer(200, [
      ['Transport', 'RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001;ssrc=0000000a'],
    ]);
    rig.answer(200, [['Transport', 'RTP/AVP;unicast;client_port=5002-5003']]);
    expect(rig.readyTracks).toMatchObject([
      { serverPort: { rtp: 6000, rtcp: 6001 }, ssrc: 10 },
      { serverPort: null, ssrc: null },
    ]);
  });

  it('ignores answers that belong to nothing, and provisional ones', () => {
    const rig = new Rig();
    rig.answer(200, [], '', '99');
    rig.answer(100);
    expect(rig.asked).toHaveLength(1);
    rig.answer(200);
    expect(rig.asked).toHaveLength(2);
  });
});

describe('a refusal', () => {
  it.each([
    [403, 'RTSP_AUTH_FAILED', {}],
    [404, 'RTSP_NOT_FOUND', { statusCode: 404, method: 'DESCRIBE' }],
    [453, 'RTSP_BUSY', { retryAfterSec: 7 }],
    [500, 'RTSP_REFUSED', { statusCode: 500 }],
    [503, 'RTSP_BUSY', { retryAfterSec: 7 }],
    [454, 'RTSP_SESSION_LOST', {}],
    [461, 'RTSP_REFUSED', {}],
  ])('of DESCRIBE with %i is %s', (statusCode, code, context) => {
    const rig = new Rig().runTo('DESCRIBE');
    rig.answer(statusCode, [['Retry-After', '7']]);
    expect(rig.events).toEqual([`failed ${code}`]);
    expect(rig.error!.context).toMatchObject(context);
    expect(rig.session.teardown()).toBe(false);
  });

  it.each([461, 455])('of SETUP with %i refuses the transport', (statusCode) => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(statusCode);
    expect(rig.events).toEqual(['failed RTSP_TRANSPORT_REFUSED']);
  });

  it('is also an answer with another transport, and is followed by TEARDOWN', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [
      ['Session', '5'],
      ['Transport', 'RTP/AVP;unicast;client_port=0-1'],
    ]);
    expect(rig.events).toEqual(['failed RTSP_TRANSPORT_REFUSED']);
    expect(rig.session.teardown()).toBe(true);
    expect(rig.newest).toMatchObject({ method: 'TEARDOWN', uri: 'rtsp://cam/live/' });
  });

  it.each([
    ['a date', 'Fri, 31 Dec 2027 23:59:59 GMT', undefined],
    ['an age', '99999', 3_600],
  ])('with %s as Retry-After', (_, value, retryAfterSec) => {
    const rig = new Rig();
    rig.answer(503, [['Retry-After', value]]);
    expect(rig.error!.context.retryAfterSec).toBe(retryAfterSec);
  });

  it('is a description without supported video, and names what there is', () => {
    const rig = new Rig();
    rig.answer(200);
    rig.push(answerOf('amcrest', '2'));
    expect(rig.events).toEqual(['failed RTSP_NO_SUPPORTED_VIDEO']);
    expect(rig.error!.context.encodings).toBe('h265,mpeg4-generic,pcma');
  });

  it.each([
    ['an empty description', '', 'SDP_INVALID'],
    ['a web page', '<html>', 'SDP_INVALID'],
    ['a description without media', 'v=0', 'RTSP_NO_SUPPORTED_VIDEO'],
  ])('is %s', (_, body, code) => {
    const rig = new Rig().runTo('DESCRIBE');
    rig.answer(200, [], body);
    expect(rig.events).toEqual([`failed ${code}`]);
  });
});

describe('authentication', () => {
  const challenges: readonly [string, DigestAlgorithm, 'auth' | 'none'][] = [
    ['MD5 without qop', 'MD5', 'none'],
    ['MD5', 'MD5', 'auth'],
    ['SHA-256', 'SHA-256', 'auth'],
  ];

  it.each(challenges)('answers Digest with %s, and every later request too', (_, algorithm, qop) => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', buildDigestChallenge('cam', 'nonce', algorithm, qop)]]);
    rig.play();
    expect(rig.events).toEqual(['ready', 'playing']);
    const answered = rig.requests.slice(1);
    for (const { method, uri, headers } of answered) {
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
    const counts = answered.map(({ headers }) => /nc=(\w+)/.exec(headers.get('Authorization')!)?.[1] ?? null);
    const expectedCounts = ['00000001', '00000002', '00000003', '00000004', '00000005'];
    expect(counts).toEqual(qop === 'auth' ? expectedCounts : counts.map(() => null));
  });

  it('answers Basic', () => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', 'Basic realm="cam"']]);
    expect(verifyBasic(rig.newest.headers.get('Authorization')!, CREDENTIALS)).toBe(true);
  });

  it('sends no credentials unasked', () => {
    expect(new Rig().newest.headers.get('Authorization')).toBeNull();
  });

  const digest = (nonce: string, isStale = false): readonly RtspHeaderField[] => [
    ['WWW-Authenticate', buildDigestChallenge('cam', nonce, 'MD5', 'none', isStale)],
  ];

  it('asks no second time when the credentials are wrong', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.answer(401, digest('two'));
    expect(rig.events).toEqual(['failed RTSP_AUTH_FAILED']);
    expect(rig.error!.context.reason).toBe('wrong-credentials');
    expect(rig.requests).toHaveLength(2);
  });

  it('asks again when the nonce is stale, but not forever', () => {
    const rig = new Rig();
    rig.answer(401, digest('one'));
    rig.answer(401, digest('two', true));
    expect(rig.newest.headers.get('Authorization')).toContain('nonce="two"');
    rig.answer(401, digest('three', true));
    expect(rig.events).toEqual(['failed RTSP_AUTH_FAILED']);
  });

  it('asks again when the nonce changes without a word after it had worked (Hikvision)', () => {
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

  it('fails on schemes it does not know', () => {
    const rig = new Rig();
    rig.answer(401, [['WWW-Authenticate', 'Negotiate']]);
    expect(rig.events).toEqual(['failed RTSP_AUTH_UNSUPPORTED']);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307])('%i is followed', (statusCode) => {
    const rig = new Rig().runTo('DESCRIBE');
    rig.answer(statusCode, [['Location', 'rtsp://other:8554/live']]);
    expect(rig.events).toEqual(['redirect rtsp://other:8554/live']);
  });

  it.each([['http://other/'], ['/live2'], ['']])('to %j is refused', (location) => {
    const rig = new Rig();
    rig.answer(302, [['Location', location]]);
    expect(rig.events).toEqual(['failed RTSP_REDIRECT_REFUSED']);
  });

  it('while playing ends the session', () => {
    const rig = new Rig().play();
    rig.push(
      writeRequest('REDIRECT', 'rtsp://cam/live', [
        ['CSeq', '1'],
        ['Location', 'rtsp://other/'],
      ]),
    );
    expect(rig.events.at(-1)).toBe('failed RTSP_REDIRECTED');
  });
});

describe('media', () => {
  it('goes to its track, by the channels the camera chose', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;unicast;interleaved=8-9']]);
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;unicast;interleaved=4-5']]);
    rig.answer(200);
    rig.push(Buffer.concat([frame(8, 'a'), frame(9, 'b'), frame(4, 'c'), frame(5, 'd'), frame(0, 'stray')]));
    expect(rig.events.slice(2)).toEqual(['rtp 0 a', 'rtcp 0 b', 'rtp 1 c', 'rtcp 1 d']);
    rig.session.sendRtcp(1, Uint8Array.of(1, 2));
    expect(rig.events.at(-1)).toBe('sent 5 0102');
  });

  it('goes by what was asked when the camera repeats the channels', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;interleaved=0-1']]);
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;interleaved=0-1']]);
    rig.answer(200);
    rig.push(frame(2, 'sound'));
    expect(rig.events.at(-1)).toBe('rtp 1 sound');
  });

  it('counts before the answer to PLAY, not before PLAY', () => {
    const rig = new Rig().runTo('SETUP');
    rig.push(frame(0, 'stale'));
    rig.setUpBoth();
    rig.push(frame(0, 'key frame'));
    rig.answer(200);
    expect(rig.events).toEqual(['ready', 'rtp 0 key frame', 'playing']);
  });

  it('sends no report before it plays', () => {
    const rig = new Rig().runTo('PLAY');
    rig.session.sendRtcp(0, Uint8Array.of(1));
    expect(rig.events).toEqual(['ready']);
  });
});

describe('keep-alive', () => {
  it('is GET_PARAMETER at half the time-out', () => {
    const rig = new Rig().play();
    expect(rig.session.wakeAtMonoMs).toBe(10_000);
    rig.session.wake(9_999);
    expect(rig.newest.method).toBe('PLAY');
    rig.session.wake(10_000);
    expect(rig.newest).toMatchObject({ method: 'GET_PARAMETER', uri: 'rtsp://cam/live/' });
    expect(rig.newest.headers.get('Session')).toBe('77');
    expect(rig.session.wakeAtMonoMs).toBe(20_000);
  });

  it('is OPTIONS when the camera does not list GET_PARAMETER, every 30 s without a time-out', () => {
    const rig = new Rig();
    rig.answer(200, [['Public', 'OPTIONS, DESCRIBE']]);
    rig.answer(200, [], SDP);
    for (let index = 0; index < 3; index++) rig.answer(200, [['Session', '1']]);
    expect(rig.session.wakeAtMonoMs).toBe(30_000);
    rig.session.wake(30_000);
    expect(rig.newest.method).toBe('OPTIONS');
  });

  it.each([
    ['1', 1_000],
    ['3600', 30_000],
  ])('keeps its bounds with a time-out of %s', (timeout, expectedMs) => {
    const rig = new Rig().runTo('SETUP');
    for (let index = 0; index < 3; index++) rig.answer(200, [['Session', `1;timeout=${timeout}`]]);
    expect(rig.session.wakeAtMonoMs).toBe(expectedMs);
  });

  it('changes to OPTIONS when GET_PARAMETER is refused', () => {
    const rig = new Rig().play();
    rig.session.wake(10_000);
    rig.answer(451);
    rig.session.wake(20_000);
    expect(rig.newest.method).toBe('OPTIONS');
  });

  it('ends the session when the camera has lost it', () => {
    const rig = new Rig().play();
    rig.session.wake(10_000);
    rig.answer(454);
    expect(rig.events.at(-1)).toBe('failed RTSP_SESSION_LOST');
  });

  it('may be answered late and out of order', () => {
    const rig = new Rig().play();
    for (let index = 1; index <= 20; index++) rig.session.wake(index * 10_000);
    const cseqs = rig.requests.slice(-3).map(({ headers }) => headers.get('CSeq')!);
    for (const cseq of cseqs.reverse()) rig.answer(200, [], '', cseq);
    rig.push(frame(0, 'on'));
    expect(rig.events.at(-1)).toBe('rtp 0 on');
  });
});

describe('a request of the camera', () => {
  it.each([
    ['OPTIONS', 200],
    ['GET_PARAMETER', 200],
    ['SET_PARAMETER', 200],
    ['ANNOUNCE', 200],
    ['RECORD', 501],
  ])('%s is answered %i', (method, statusCode) => {
    const rig = new Rig().play();
    rig.push(
      writeRequest(
        method,
        '*',
        [
          ['CSeq', '41'],
          ['Session', '77'],
        ],
        'x',
      ),
    );
    expect(rig.responses).toHaveLength(1);
    expect(rig.responses[0]!.statusCode).toBe(statusCode);
    expect(rig.responses[0]!.headers.get('CSeq')).toBe('41');
    expect(rig.events.at(-1)).toBe('playing');
  });

  it('TEARDOWN is answered and ends the session for good', () => {
    const rig = new Rig().play();
    rig.push(writeRequest('TEARDOWN', 'rtsp://cam/live', [['CSeq', '1']]));
    expect(rig.responses[0]!.statusCode).toBe(200);
    expect(rig.events.at(-1)).toBe('failed RTSP_ENDED_BY_CAMERA');
    expect(rig.session.teardown()).toBe(false);
  });
});

describe('the end', () => {
  it('is TEARDOWN, after which nothing but its answer counts', () => {
    const rig = new Rig().play();
    expect(rig.session.teardown()).toBe(true);
    rig.push(Buffer.concat([frame(0, 'late'), Buffer.from('RTSP/1.0 200 OK\r\nCSeq: 4\r\n\r\n')]));
    rig.answer(200);
    rig.push(Buffer.from('garbage \0'));
    expect(rig.events).toEqual(['ready', 'playing', 'torn down']);
    expect(rig.session.wakeAtMonoMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('needs no TEARDOWN before SETUP', () => {
    const rig = new Rig().runTo('DESCRIBE');
    expect(rig.session.teardown()).toBe(false);
    expect(rig.newest.method).toBe('DESCRIBE');
  });

  it('comes when a step takes too long', () => {
    const rig = new Rig().runTo('DESCRIBE');
    expect(rig.session.wakeAtMonoMs).toBe(1_000);
    rig.session.wake(1_000);
    expect(rig.error).toMatchObject({
      code: 'RTSP_TIMEOUT',
      context: { method: 'DESCRIBE', isWholeHandshake: false },
    });
  });

  it('comes when the steps together take too long', () => {
    const rig = new Rig();
    rig.transport = 'none';
    rig.nowMonoMs = 900;
    rig.answer(200);
    rig.nowMonoMs = 1_800;
    rig.answer(200, [], SDP);
    expect(rig.session.wakeAtMonoMs).toBe(3_000);
    rig.session.wake(3_000);
    expect(rig.error).toMatchObject({ code: 'RTSP_TIMEOUT', context: { isWholeHandshake: true } });
  });

  it('comes when the framing is lost', () => {
    const rig = new Rig().play();
    rig.push(Buffer.concat([frame(0, 'good'), Buffer.from([0]), frame(0, 'never read')]));
    expect(rig.events.slice(2)).toEqual(['rtp 0 good', 'failed RTSP_FRAMING']);
  });

  it('comes when an event fails, once', () => {
    const rig = new Rig().play();
    rig.onRtp = () => {
      throw new TypeError('defect');
    };
    rig.push(Buffer.concat([frame(0, 'a'), frame(0, 'b')]));
    expect(rig.events.slice(2)).toEqual(['failed INTERNAL']);
  });

  it('comes once and by code whatever the camera sends', () => {
    const status = fc.constantFrom(200, 200, 200, 301, 401, 404, 454, 461, 503, 100);
    const field = fc.constantFrom<RtspHeaderField>(
      ['WWW-Authenticate', 'Digest nonce="a"'],
      ['WWW-Authenticate', 'Digest nonce="b", stale=true'],
      ['Location', 'rtsp://b/'],
      ['Transport', 'RTP/AVP/TCP;interleaved=0-1'],
      ['Transport', 'RTP/AVP;multicast'],
      ['Session', '1;timeout=1'],
      ['CSeq', '1'],
    );
    const answers = fc.array(fc.tuple(status, fc.array(field, { maxLength: 3 }), fc.boolean(), fc.string()), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(answers, (list) => {
        const rig = new Rig();
        list.forEach(([statusCode, fields, isSdp, junk], index) => {
          rig.answer(statusCode, fields, isSdp ? SDP : junk);
          rig.session.wake(index * 500);
        });
        rig.session.teardown();
        const ends = rig.events.filter((event) => /^(failed|redirect)/.test(event));
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(ends).not.toContain('failed INTERNAL');
      }),
      randomRuns(300),
    );
  });
});

/** A kept DESCRIBE answer under the CSeq that is waited for. */
function answerOf(vendor: string, cseq: string): Buffer {
  const answer = readFileSync(join(import.meta.dirname, `../sdp/fixtures/${vendor}_describe.txt`), 'latin1');
  return Buffer.from(answer.replace(/^CSeq: \d+/m, `CSeq: ${cseq}`), 'latin1');
}
