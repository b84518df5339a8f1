import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { multicastGroup } from './multicast-group.ts';
import { isMulticastAddress } from './sdp/connection-address.ts';
import { parseSessionDescription } from './sdp/session-description.ts';
import { parseTransports } from './transport.ts';

const media = (lines: readonly string[]) =>
  parseSessionDescription(Buffer.from(['v=0', ...lines].join('\r\n'))).media[0] ?? null;
const respond = (header: string) => parseTransports(header)[0] ?? null;

const RESPONSE = 'RTP/AVP;multicast;destination=239.1.1.1;port=5000-5001;ttl=4;source=192.0.2.10';
const MEDIA = ['m=video 6000 RTP/AVP 96', 'c=IN IP4 239.2.2.2/32'];

describe('multicastGroup', () => {
  it('is what SETUP says, before what the description says', () => {
    expect(multicastGroup(respond(RESPONSE), media(MEDIA))).toEqual({
      address: '239.1.1.1',
      ports: { rtp: 5_000, rtcp: 5_001 },
      ttl: 4,
      source: '192.0.2.10',
      isSourceSpecific: false,
    });
    expect(multicastGroup(respond('RTP/AVP;multicast'), media(MEDIA))).toEqual({
      address: '239.2.2.2',
      ports: { rtp: 6_000, rtcp: 6_001 },
      ttl: 32,
      source: null,
      isSourceSpecific: false,
    });
  });

  it('has the source of the description’s filter', () => {
    const filtered = media([...MEDIA, 'a=source-filter: incl IN IP4 * 192.0.2.11']);
    expect(multicastGroup(respond(RESPONSE), filtered)).toMatchObject({
      source: '192.0.2.11',
      isSourceSpecific: true,
    });
  });

  it.each(['0.0.0.0', '239.1.1.1', 'camera', ''])('does not take %j for a source', (source) => {
    const group = multicastGroup(respond(RESPONSE.replace('192.0.2.10', source)), null);
    expect(group).toMatchObject({ source: null, isSourceSpecific: false });
  });

  it('is IPv6, too', () => {
    const header = 'RTP/AVP;multicast;destination=ff15::101;port=5000-5001';
    expect(multicastGroup(respond(header), null)?.address).toBe('ff15::101');
  });

  it('never throws, and names only groups and high ports', () => {
    const piece = fc.constantFrom(
      ...[
        'RTP/AVP',
        ';multicast',
        ';destination=',
        '239.1.1.1',
        'ff02::1',
        '127.0.0.1',
        ';port=',
        '5000',
        '-',
      ],
      '80',
      ';ttl=',
      '256',
      ';source=',
      '::1',
      ',',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 4 }), (header, text) => {
        const described = media([`m=video ${text[0] ?? 0} RTP/AVP 96`, `c=IN IP4 ${text.join('')}`]);
        const group = multicastGroup(respond(`RTP/AVP${header.join('')}`), described);
        if (group === null) return;
        expect(isMulticastAddress(group.address)).toBe(true);
        expect(Math.min(group.ports.rtp, group.ports.rtcp)).toBeGreaterThanOrEqual(1_024);
      }),
      randomRuns(1_000),
    );
  });
});
