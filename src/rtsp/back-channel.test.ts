/**
 * A session that carries a camera's media leaves the way to its speaker (ONVIF streaming specification §5.3) alone: it never
 * requests or sets it up. Who talks has a session of their own (back-channel-session.ts).
 */

import { expect, it } from 'vitest';
import { Rig } from './client-session-fixture.ts';

/** As a camera describes it that offers its back channel to everyone, `Require` or not. */
const SDP = [
  'v=0',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=recvonly',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 0',
  'a=rtpmap:0 PCMU/8000',
  'a=sendonly',
  'a=control:trackID=9',
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 mpeg4-generic/16000/1',
  'a=fmtp:97 mode=AAC-hbr;config=1408;sizelength=13;indexlength=3;indexdeltalength=3',
  'a=recvonly',
  'a=control:trackID=2',
  '',
].join('\r\n');

it.each(['tcp', 'multicast'] as const)('over %s', (transport) => {
  const rig = new Rig();
  rig.transport = transport;
  rig.answer(200, [['Public', 'OPTIONS, DESCRIBE, GET_PARAMETER']]);
  rig.answer(200, [['Content-Base', 'rtsp://cam/live/']], SDP);
  const responses = {
    tcp: ['RTP/AVP/TCP;unicast;interleaved=0-1', 'RTP/AVP/TCP;unicast;interleaved=2-3'],
    multicast: [5000, 5002].map((port) => `RTP/AVP;multicast;destination=239.1.1.1;port=${port}-${port + 1}`),
  };
  for (const response of responses[transport]) {
    rig.answer(200, [
      ['Session', '77'],
      ['Transport', response],
    ]);
  }
  rig.answer(200, [['Session', '77']]);
  expect(rig.events).toEqual(['ready', 'playing']);
  expect(rig.requested).toEqual([
    'OPTIONS rtsp://cam/live',
    'DESCRIBE rtsp://cam/live',
    'SETUP rtsp://cam/live/trackID=1',
    'SETUP rtsp://cam/live/trackID=2',
    'PLAY rtsp://cam/live/',
  ]);
  expect(rig.skipped).toEqual([{ kind: 'audio', encodings: ['pcmu'], reason: 'backchannel' }]);
  for (const { headers } of rig.requests) {
    expect([headers.get('Require'), headers.get('Proxy-Require')]).toEqual([null, null]);
  }
});
