import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { type RtspHeaderField, RtspHeaders } from '../headers.ts';
import type { RtspRequest, RtspResponse } from '../message.ts';
import { RtspMessageReader } from '../message-reader.ts';
import { writeRequest } from '../message-writer.ts';
import { parseTransports } from '../transport.ts';
import { ServerSession, type ServerStep } from './server-session.ts';
import { presentationBase, serverTarget } from './server-target.ts';

const URL = 'rtsp://gateway.example:8554/live/token';
const SESSION = '0123456789abcdef';
const TWO_TRACKS = { sdp: 'v=0\r\n', trackCount: 2 };
const TCP: RtspHeaderField = ['Transport', 'RTP/AVP/TCP;unicast;interleaved=0-1'];
const IN_SESSION: RtspHeaderField = ['Session', SESSION];

let session: ServerSession;
let cseq: number;

beforeEach(() => {
  cseq = 0;
  session = newSession();
});

function newSession(serverPorts: { rtp: number; rtcp: number } | null = null): ServerSession {
  return new ServerSession({ sessionId: SESSION, timeoutSec: 60, serverPorts });
}

function request(method: string, uri = URL, fields: readonly RtspHeaderField[] = []): RtspRequest {
  const headers = RtspHeaders.of([['CSeq', String(++cseq)], ...fields]);
  return { method, uri, version: '1.0', headers, body: new Uint8Array(0) };
}

function send(method: string, uri?: string, fields?: readonly RtspHeaderField[]): ServerStep {
  return session.receive(request(method, uri, fields));
}

/** As a client reads it. */
function read(step: ServerStep): RtspResponse {
  if (step.kind !== 'respond') throw new Error(`not a response: ${step.kind}`);
  const responses: RtspResponse[] = [];
  new RtspMessageReader({
    onRequest: () => undefined,
    onResponse: (response) => responses.push(response),
    onInterleaved: () => undefined,
  }).push(step.response);
  expect(responses).toHaveLength(1);
  expect(responses[0]!.headers.get('CSeq')).toBe(String(cseq));
  return responses[0]!;
}

const statusOf = (step: ServerStep) => read(step).statusCode;

/** A client that has described both tracks, and set up as many as `tracks` says. */
function setUp(tracks = 2): void {
  expect(send('DESCRIBE')).toMatchObject({ kind: 'present', path: '/live/token' });
  expect(statusOf(session.presented(TWO_TRACKS))).toBe(200);
  for (let track = 0; track < tracks; track++) {
    const transport = `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`;
    expect(statusOf(send('SETUP', `${URL}/trackID=${track}`, [['Transport', transport]]))).toBe(200);
  }
}

function play(): void {
  setUp();
  expect(send('PLAY', `${URL}/`, [IN_SESSION]).kind).toBe('play');
  const starts = [
    { sequenceNumber: 7, rtpTimestamp: 900 },
    { sequenceNumber: 8, rtpTimestamp: null },
  ];
  const response = read(session.played(starts));
  expect(response.headers.get('RTP-Info')).toBe(
    `url=${URL}/trackID=0;seq=7;rtptime=900,url=${URL}/trackID=1;seq=8`,
  );
}

describe('a client of the server', () => {
  it('plays what it described', () => {
    expect(read(send('OPTIONS', '*')).headers.get('Public')).not.toContain('PAUSE');
    setUp();
    expect(session.isPlaying).toBe(false);
    expect(send('PLAY', URL, [IN_SESSION])).toEqual({
      kind: 'play',
      deliveries: [
        { lower: 'tcp', channels: { rtp: 0, rtcp: 1 } },
        { lower: 'tcp', channels: { rtp: 2, rtcp: 3 } },
      ],
      replay: null,
    });
    expect(statusOf(session.played([null, null]))).toBe(200);
    expect(session.isPlaying).toBe(true);
    expect(send('TEARDOWN', URL, [IN_SESSION])).toMatchObject({ isEnd: true });
    expect(session.isPlaying).toBe(false);
  });

  it('plays the past, as often as it wants another time of it', async () => {
    setUp();
    const fields: RtspHeaderField[] = [IN_SESSION, ['Require', 'onvif-replay'], ['Rate-Control', 'no']];
    for (const second of [1, 2]) {
      const range: RtspHeaderField = ['Range', `clock=20260101T00000${second}.000Z-`];
      const fromMs = Date.UTC(2026, 0, 1, 0, 0, second);
      expect(send('PLAY', URL, [...fields, range])).toMatchObject({
        kind: 'play',
        replay: { fromMs, toMs: null, hasExtensions: true, isUnpaced: true, cseq },
      });
      const response = read(session.played([{ sequenceNumber: 1, rtpTimestamp: 0 }, null]));
      expect(response.headers.get('Range')).toBe(range[1]);
    }
  });

  it('gets the description under a base that ends in a slash', () => {
    send('DESCRIBE', `${URL}?x=1`);
    const response = read(session.presented(TWO_TRACKS));
    expect(response.headers.get('Content-Base')).toBe(`${URL}/`);
    expect(response.headers.get('Session')).toBeNull();
    expect(Buffer.from(response.body).toString()).toBe(TWO_TRACKS.sdp);
  });

  it('sets up a track of what it never described', () => {
    expect(send('SETUP', `${URL}/trackID=1`, [TCP]).kind).toBe('present');
    const response = read(session.presented(TWO_TRACKS));
    expect(response.headers.get('Session')).toBe(`${SESSION};timeout=60`);
    expect(response.headers.get('Transport')).toBe('RTP/AVP/TCP;unicast;interleaved=0-1');
  });

  it('gets free channels if it wants some twice, or none', () => {
    setUp(0);
    send('SETUP', `${URL}/trackID=0`, [TCP]);
    const response = read(send('SETUP', `${URL}/trackID=1`, [TCP, IN_SESSION]));
    expect(parseTransports(response.headers.get('Transport')!)[0]!.interleaved).toEqual({ rtp: 2, rtcp: 3 });
  });

  it('keeps its session alive with anything', () => {
    play();
    for (const method of ['OPTIONS', 'GET_PARAMETER', 'SET_PARAMETER', 'PLAY']) {
      expect([method, statusOf(send(method, URL, [IN_SESSION]))]).toEqual([method, 200]);
    }
  });

  it.each([
    ['PAUSE, with the reason', 'PAUSE', [IN_SESSION], 405],
    ['RECORD', 'RECORD', [IN_SESSION], 405],
    ['another method', 'SING', [IN_SESSION], 501],
    ['another session', 'TEARDOWN', [['Session', 'other']], 454],
    ['a feature', 'OPTIONS', [['Require', 'play.scale']], 551],
    ['a time that is none', 'PLAY', [IN_SESSION, ['Range', 'clock=20261301T000000Z-']], 457],
    ['a time code', 'PLAY', [IN_SESSION, ['Range', 'smpte=0:10:20-']], 457],
  ] as const)('is refused %s', (_what, method, fields, status) => {
    play();
    expect(statusOf(send(method, URL, fields))).toBe(status);
    expect(session.isPlaying).toBe(true);
  });

  it('is refused UDP if it is not offered, and multicast always', () => {
    setUp(0);
    const udp: RtspHeaderField = ['Transport', 'RTP/AVP;unicast;client_port=5000-5001'];
    expect(statusOf(send('SETUP', `${URL}/trackID=0`, [udp]))).toBe(461);
    session = newSession({ rtp: 6_970, rtcp: 6_971 });
    setUp(0);
    for (const transport of ['RTP/AVP;multicast', 'RTP/AVP;unicast;client_port=1022-1023', 'RTP/AVP']) {
      expect(statusOf(send('SETUP', `${URL}/trackID=0`, [['Transport', transport]]))).toBe(461);
    }
    expect(read(send('SETUP', `${URL}/trackID=0`, [udp])).headers.get('Transport')).toBe(
      'RTP/AVP;unicast;client_port=5000-5001;server_port=6970-6971',
    );
  });

  it('is refused what makes no sense yet', () => {
    expect(statusOf(send('PLAY'))).toBe(455);
    setUp(0);
    expect(statusOf(send('PLAY'))).toBe(455);
    expect(statusOf(send('SETUP', URL, [TCP]))).toBe(459);
    expect(statusOf(send('SETUP', `${URL}/trackID=2`, [TCP]))).toBe(404);
    expect(statusOf(send('DESCRIBE', 'http://gateway.example/live/token'))).toBe(404);
  });

  it('cannot change to another presentation once a track is set up', () => {
    setUp(1);
    expect(statusOf(send('DESCRIBE', 'rtsp://gateway.example/live/other'))).toBe(455);
  });

  it('learns why there is nothing', () => {
    send('DESCRIBE');
    const fields: RtspHeaderField[] = [['WWW-Authenticate', 'Basic realm="x"']];
    const response = read(session.presented({ statusCode: 401, fields }));
    expect([response.statusCode, response.headers.get('WWW-Authenticate')]).toEqual([401, 'Basic realm="x"']);
    send('DESCRIBE');
    const refused = read(session.presented({ statusCode: 403, reasonPhrase: 'This link has expired.' }));
    expect([refused.statusCode, refused.reasonPhrase]).toEqual([403, 'This link has expired.']);
  });

  it('of RTSP 2.0 learns that this is 1.0', () => {
    expect(statusOf(session.receive({ ...request('DESCRIBE'), version: '2.0' }))).toBe(505);
  });

  it('gets one response to each request, whatever it sends', () => {
    const methods = fc.constantFrom(
      'OPTIONS',
      'DESCRIBE',
      'SETUP',
      'PLAY',
      'PAUSE',
      'TEARDOWN',
      'GET_PARAMETER',
    );
    const text = fc.string({ unit: fc.constantFrom(...'/:;=,-*?#%0189aTrackIDRTPAVC '), maxLength: 60 });
    const field = fc.tuple(fc.constantFrom('Transport', 'Session', 'Range', 'Require'), text);
    const uri = fc.oneof(
      fc.constantFrom(URL, `${URL}/trackID=0`, `${URL}/trackID=1`),
      text.map((end) => `rtsp://x/${end.replaceAll(' ', '')}`),
    );
    const steps = fc.array(fc.tuple(methods, uri, fc.array(field, { maxLength: 3 })), { maxLength: 12 });
    const property = fc.property(steps, (all) => {
      session = newSession({ rtp: 2, rtcp: 3 });
      for (const [method, target, fields] of all) {
        let step = send(method, target, fields);
        if (step.kind === 'present') step = session.presented(TWO_TRACKS);
        if (step.kind === 'play') step = session.played(step.deliveries.map(() => null));
        expect(read(step).statusCode).toBeGreaterThanOrEqual(200);
      }
    });
    fc.assert(property, randomRuns(500));
  });
});

describe('the target of a request', () => {
  it.each([
    ['rtsp://h/live/t', '/live/t', null],
    ['rtsp://h:8554/live/t/', '/live/t', null],
    ['rtsps://u:p@h/live/t/sub/trackID=1', '/live/t/sub', 1],
    ['rtsp://h/live/t//trackID=0/', '/live/t', 0],
    ['rtsp://h/live/t?x=/trackID=1', '/live/t', null],
    ['rtsp://h', '', null],
    ['*', '', null],
  ])('%s', (uri, path, trackIndex) => {
    expect(serverTarget(uri)).toEqual({ path, trackIndex });
  });

  it('is nothing for another scheme, or for a URI without an end', () => {
    expect(serverTarget('http://h/live/t')).toBeNull();
    expect(serverTarget(`rtsp://h/${'a'.repeat(4_000)}`)).toBeNull();
  });

  it('is found in any text without hanging', () => {
    for (const tail of ['/'.repeat(2_000), `${'/'.repeat(1_900)}x`, '/trackID=1'.repeat(180)]) {
      const uri = `rtsp://h${tail}`;
      expect(serverTarget(uri)).not.toBeNull();
      expect(presentationBase(uri).length).toBeLessThanOrEqual(uri.length);
    }
  });

  it('of a request that is written and read is the same', () => {
    const requests: RtspRequest[] = [];
    new RtspMessageReader({
      onRequest: (each) => requests.push(each),
      onResponse: () => undefined,
      onInterleaved: () => undefined,
    }).push(writeRequest('SETUP', `${URL}/trackID=1`, [['CSeq', '1']]));
    expect(serverTarget(requests[0]!.uri)).toEqual({ path: '/live/token', trackIndex: 1 });
  });
});
