import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { interleavedTransport, parseTransports, udpTransport } from './transport.ts';

const NOTHING = {
  lower: 'udp',
  isMulticast: false,
  interleaved: null,
  clientPort: null,
  serverPort: null,
  source: null,
  destination: null,
  port: null,
  ttl: null,
  ssrc: null,
};

describe('parseTransports', () => {
  it.each([
    [
      'interleaved',
      'RTP/AVP/TCP;unicast;interleaved=2-3',
      { lower: 'tcp', interleaved: { rtp: 2, rtcp: 3 } },
    ],
    [
      'interleaved without TCP',
      'RTP/AVP;unicast;interleaved=0-1',
      { lower: 'tcp', interleaved: { rtp: 0, rtcp: 1 } },
    ],
    ['a single channel', 'RTP/AVP/TCP;interleaved=4', { lower: 'tcp', interleaved: { rtp: 4, rtcp: 5 } }],
    ['a channel past 255', 'RTP/AVP/TCP;interleaved=256-257', { lower: 'tcp' }],
    [
      'ports, source and ssrc (Hikvision)',
      'RTP/AVP;unicast;client_port=5000-5001;server_port=8218-8219;source=10.0.0.2;ssrc=2c0f3b7e;mode="play"',
      {
        clientPort: { rtp: 5000, rtcp: 5001 },
        serverPort: { rtp: 8218, rtcp: 8219 },
        source: '10.0.0.2',
        ssrc: 0x2c0f3b7e,
      },
    ],
    [
      'blanks, upper case, a short ssrc',
      'rtp/avp/udp; UNICAST; Server_Port = 6 - 7 ;ssrc= 0A',
      { serverPort: { rtp: 6, rtcp: 7 }, ssrc: 10 },
    ],
    [
      'a space before a short ssrc (Hikvision)',
      'RTP/AVP/TCP;unicast;interleaved=0-1;ssrc= d6d6627',
      { lower: 'tcp', interleaved: { rtp: 0, rtcp: 1 }, ssrc: 0xd6d6627 },
    ],
    [
      'ssrc=0, a mode between (H264DVR)',
      'RTP/AVP;unicast;mode=PLAY;source=127.0.0.1;client_port=18714-18715;server_port=40004-40005;ssrc=0',
      {
        clientPort: { rtp: 18_714, rtcp: 18_715 },
        serverPort: { rtp: 40_004, rtcp: 40_005 },
        source: '127.0.0.1',
        ssrc: 0,
      },
    ],
    ['nonsense ssrc', 'RTP/AVP;ssrc=xyz', {}],
    ['multicast', 'RTP/AVP;multicast;destination=239.0.0.1', { isMulticast: true, destination: '239.0.0.1' }],
    [
      'multicast with all there is (RFC 2326 §12.39)',
      'RTP/AVP;multicast;destination=239.0.0.1;port=3456-3457;ttl=16;source=192.0.2.10',
      {
        isMulticast: true,
        destination: '239.0.0.1',
        port: { rtp: 3456, rtcp: 3457 },
        ttl: 16,
        source: '192.0.2.10',
      },
    ],
    ['a time to live that is none', 'RTP/AVP;multicast;ttl=256', { isMulticast: true }],
  ])('reads %s', (_, header, expected) => {
    expect(parseTransports(header)).toEqual([{ ...NOTHING, ...expected }]);
  });

  it('keeps alternatives in order and leaves out what is not RTP', () => {
    const header = 'RAW/RAW/UDP;unicast,RTP/AVP;unicast;client_port=2-3,RTP/AVP/TCP;interleaved=0-1';
    expect(parseTransports(header).map(({ lower }) => lower)).toEqual(['udp', 'tcp']);
  });

  it('reads what the builders write', () => {
    expect(parseTransports(interleavedTransport({ rtp: 0, rtcp: 1 }))[0]).toMatchObject({
      interleaved: { rtp: 0, rtcp: 1 },
    });
    expect(parseTransports(udpTransport({ rtp: 8, rtcp: 9 }))[0]).toMatchObject({
      clientPort: { rtp: 8, rtcp: 9 },
    });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { interleaved } of parseTransports(`RTP/AVP;interleaved=${text}`)) {
          expect(interleaved === null || interleaved.rtcp <= 255).toBe(true);
        }
      }),
      randomRuns(10_000),
    );
  });
});
