import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frame, Rig, SDP } from './client-session-fixture.ts';
import { writeRequest } from './message-writer.ts';

describe('the handshake', () => {
  it('sends OPTIONS, DESCRIBE, SETUP for each wanted track and PLAY', () => {
    const rig = new Rig().play([['RTP-Info', 'url=trackID=2;seq=7;rtptime=8']]);
    expect(rig.requested).toEqual([
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

  it('plays when every response comes byte by byte', () => {
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
    expect(rig.requested.at(-1)).toBe('PLAY rtsp://cam/live');
    rig.push(frame(2, 'sound'));
    expect(rig.events.at(-1)).toBe('rtp 1 sound');
  });

  it('continues when the camera does not know OPTIONS', () => {
    const rig = new Rig();
    rig.answer(501);
    expect(rig.newest.method).toBe('DESCRIBE');
  });

  it('resolves controls against a base with a query (Dahua)', () => {
    const rig = new Rig('rtsp://192.168.1.108/cam/realmonitor?channel=1&subtype=0');
    rig.answer(200);
    rig.push(responseOf('dahua', '2'));
    const base = 'rtsp://192.168.1.108:554/cam/realmonitor?channel=1&subtype=0&unicast=true&proto=Onvif/';
    expect(rig.requested.at(-1)).toBe(`SETUP ${base}trackID=0`);
    rig.setUpBoth();
    expect(rig.requested.at(-1)).toBe(`PLAY ${base}`);
  });

  it('takes absolute controls and plays the session control (Axis)', () => {
    const rig = new Rig('rtsp://192.168.0.90/axis-media/media.amp');
    rig.answer(200);
    rig.push(responseOf('axis', '2'));
    const base = 'rtsp://192.168.0.90/axis-media/media.amp';
    expect(rig.requested.at(-1)).toBe(`SETUP ${base}/stream=0?videocodec=h264&audio=1`);
    rig.setUpBoth();
    expect(rig.requested.at(-1)).toBe(`PLAY ${base}?videocodec=h264&audio=1`);
  });

  it('sets up video alone when the camera refuses its audio', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Session', '1']]);
    rig.answer(500);
    expect(rig.newest.method).toBe('PLAY');
    expect(rig.readyTracks).toHaveLength(1);
    expect(rig.skipped.at(-1)).toEqual({ kind: 'audio', encodings: ['mpeg4-generic'], reason: 'refused' });
  });

  it('keeps the first session id when a later response has another (H264DVR)', () => {
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

  it('ignores responses that belong to nothing, and provisional ones', () => {
    const rig = new Rig();
    rig.answer(200, [], '', '99');
    rig.answer(100);
    expect(rig.requested).toHaveLength(1);
    rig.answer(200);
    expect(rig.requested).toHaveLength(2);
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

  it.each([461, 455])('of SETUP with %i is a refusal of the transport', (statusCode) => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(statusCode);
    expect(rig.events).toEqual(['failed RTSP_TRANSPORT_REFUSED']);
  });

  it('is also a response with another transport, and is followed by TEARDOWN', () => {
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

  it('is a description without supported video, and names what the camera offers', () => {
    const rig = new Rig();
    rig.answer(200);
    rig.push(Buffer.from(responseOf('amcrest', '2').toString('latin1').replace('H265', 'JPEG'), 'latin1'));
    expect(rig.events).toEqual(['failed RTSP_NO_SUPPORTED_VIDEO']);
    expect(rig.error!.context.encodings).toBe('jpeg,mpeg4-generic,pcma');
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
  it('goes to its track, by the channels that the camera chose', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;unicast;interleaved=8-9']]);
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;unicast;interleaved=4-5']]);
    rig.answer(200);
    rig.push(Buffer.concat([frame(8, 'a'), frame(9, 'b'), frame(4, 'c'), frame(5, 'd'), frame(0, 'stray')]));
    expect(rig.events.slice(2)).toEqual(['rtp 0 a', 'rtcp 0 b', 'rtp 1 c', 'rtcp 1 d']);
    rig.session.sendRtcp(1, Uint8Array.of(1, 2));
    expect(rig.events.at(-1)).toBe('sent 5 0102');
  });

  it('goes by the request when the camera repeats the channels', () => {
    const rig = new Rig().runTo('SETUP');
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;interleaved=0-1']]);
    rig.answer(200, [['Transport', 'RTP/AVP/TCP;interleaved=0-1']]);
    rig.answer(200);
    rig.push(frame(2, 'sound'));
    expect(rig.events.at(-1)).toBe('rtp 1 sound');
  });

  it('counts before the response to PLAY, not before PLAY', () => {
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

/** A stored DESCRIBE response with the CSeq that the client waits for. */
function responseOf(vendor: string, cseq: string): Buffer {
  const response = readFileSync(join(import.meta.dirname, `sdp/fixtures/${vendor}_describe.txt`), 'latin1');
  return Buffer.from(response.replace(/^CSeq: \d+/m, `CSeq: ${cseq}`), 'latin1');
}
