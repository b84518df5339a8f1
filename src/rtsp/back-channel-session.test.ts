/** Bytes of a camera with a speaker, and of others. ONVIF Streaming Specification §5.3.1 has this exchange as its example. */

import { beforeEach, describe, expect, it } from 'vitest';
import { CredentialUrl } from '../core/secret.ts';
import { BackChannelSession } from './back-channel-session.ts';
import type { RtspHeaderField } from './headers.ts';
import type { RtspRequest } from './message.ts';
import { RtspMessageReader } from './message-reader.ts';
import { writeResponse } from './message-writer.ts';

const REQUIRED = 'www.onvif.org/ver20/backchannel';
const SDP = [
  'v=0',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=recvonly',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 0',
  'a=control:trackID=2',
  'a=recvonly',
  'm=audio 0 RTP/AVP 97 8 0',
  'a=rtpmap:97 G726-32/8000',
  'a=control:trackID=9',
  'a=sendonly',
  '',
].join('\r\n');
const CHALLENGE = 'Digest realm="cam", nonce="n", algorithm=MD5';

let session: BackChannelSession;
let requests: RtspRequest[];
let frames: string[];
let events: string[];
let nowMonoMs: number;

beforeEach(() => {
  [requests, frames, events, nowMonoMs] = [[], [], [], 0];
  const reader = new RtspMessageReader({
    onRequest: (request) => void requests.push(request),
    onResponse: ({ statusCode }) => void events.push(`response ${statusCode}`),
    onInterleaved: (channel, chunk, start, end) =>
      void frames.push(`${channel} ${Buffer.from(chunk.subarray(start, end)).toString('hex')}`),
  });
  session = new BackChannelSession({
    url: new CredentialUrl('rtsp://admin:s3cret@cam/live'),
    limits: { stepMs: 1_000, handshakeMs: 3_000 },
    events: {
      onSend: (bytes) => reader.push(bytes),
      onOpen: ({ law, payloadType }) => void events.push(`open ${law} ${payloadType}`),
      onFailed: ({ code }) => void events.push(code),
    },
    makeCnonce: () => 'cnonce',
  });
  session.start(0);
});

function answer(statusCode: number, fields: readonly RtspHeaderField[] = [], body = ''): void {
  const cseq: RtspHeaderField = ['CSeq', requests.at(-1)!.headers.get('CSeq')!];
  session.push(writeResponse(statusCode, 'Status', [cseq, ...fields], body), nowMonoMs);
}

function open(channels = '0-1'): void {
  answer(200, [['Content-Base', 'rtsp://cam/live/']], SDP);
  answer(200, [
    ['Session', '77;timeout=20'],
    ['Transport', `RTP/AVP/TCP;unicast;interleaved=${channels}`],
  ]);
  answer(200, [['Session', '77']]);
}

const requested = () => requests.map(({ method, uri }) => `${method} ${uri}`);

describe('BackChannelSession', () => {
  it('requires the back channel, and sets up the way to the speaker alone', () => {
    open();
    expect(requested()).toEqual([
      'DESCRIBE rtsp://cam/live',
      'SETUP rtsp://cam/live/trackID=9',
      'PLAY rtsp://cam/live/',
    ]);
    expect(requests.map(({ headers }) => headers.get('Require'))).toEqual([REQUIRED, REQUIRED, REQUIRED]);
    expect(events).toEqual(['open a-law 8']);
  });

  it('sends packets on the channel that the camera assigned, and only while it is open', () => {
    session.sendRtp(Uint8Array.of(1));
    open('4-5');
    session.sendRtp(Uint8Array.of(0x80, 0x08));
    session.teardown();
    session.sendRtp(Uint8Array.of(2));
    expect([frames, requested().at(-1)]).toEqual([['4 8008'], 'TEARDOWN rtsp://cam/live/']);
  });

  it('logs in, and keeps the session alive', () => {
    answer(401, [['WWW-Authenticate', CHALLENGE]]);
    open();
    expect(requests[1]!.headers.get('Authorization')).toContain('Digest username="admin"');
    expect(session.wakeAtMonoMs).toBe(10_000);
    nowMonoMs = 10_000;
    session.wake(nowMonoMs);
    expect(requested().at(-1)).toBe('OPTIONS rtsp://cam/live/');
    answer(200);
    expect(session.wakeAtMonoMs).toBe(20_000);
    expect(events).toEqual(['open a-law 8']);
  });

  it.each<[string, () => void, string]>([
    ['does not know what is required', () => answer(551), 'RTSP_NO_BACK_CHANNEL'],
    [
      'describes no speaker',
      () => answer(200, [], SDP.replace('a=sendonly', 'a=inactive')),
      'RTSP_NO_BACK_CHANNEL',
    ],
    [
      'has a speaker for other formats',
      () => answer(200, [], SDP.replace('97 8 0', '97')),
      'RTSP_NO_BACK_CHANNEL',
    ],
    ['wants another password', () => answer(401), 'RTSP_AUTH_UNSUPPORTED'],
    ['refuses', () => answer(404), 'RTSP_NOT_FOUND'],
    ['sends something else', () => session.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 0), 'RTSP_FRAMING'],
    [
      'says nothing',
      () => {
        session.wake(999);
        session.wake(1_000);
      },
      'RTSP_TIMEOUT',
    ],
    [
      'ends the session',
      () => {
        open();
        events.length = 0;
        answer(200);
        session.push(Buffer.from('TEARDOWN rtsp://cam/live RTSP/1.0\r\nCSeq: 1\r\nSession: 77\r\n\r\n'), 0);
        events.shift();
      },
      'RTSP_ENDED_BY_CAMERA',
    ],
  ])('fails if the camera %s', (_case, fail, code) => {
    fail();
    session.push(Buffer.from('junk'), 0);
    expect(events).toEqual([code]);
  });

  it('says goodbye only to a camera that holds something for it', () => {
    session.teardown();
    expect(requested()).toEqual(['DESCRIBE rtsp://cam/live']);
  });
});
