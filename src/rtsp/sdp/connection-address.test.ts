import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { anyText } from '../../core/any-text-fixture.ts';
import { includedSource, isHostAddress, multicastConnection } from './connection-address.ts';
import { parseSessionDescription } from './session-description.ts';

describe('multicastConnection', () => {
  it.each([
    ['IN IP4 239.1.1.1/16', '239.1.1.1', 16],
    ['IN IP4 224.2.1.1/127/3', '224.2.1.1', 127],
    ['IN IP4 239.1.1.1', '239.1.1.1', null],
    ['in ip4  239.1.1.1/255', '239.1.1.1', 255],
    ['IN IP4 239.1.1.1/256', '239.1.1.1', null],
    ['IN IP6 ff15::101/3', 'ff15::101', null],
  ])('reads %s', (value, address, ttl) => expect(multicastConnection(value)).toEqual({ address, ttl }));

  it.each([
    '',
    'IN IP4',
    'IN IP4 0.0.0.0',
    'IN IP4 192.168.1.20/16',
    'IN IP4 240.0.0.1',
    'IN IP4 0xef.1.1.1',
    'IN IP4 group.example.com',
    'IN IP6 fe80::1',
    'IN IP6 ff02::1%eth0',
    'ATM NSAP 239.1.1.1',
    `IN IP4 239.1.1.1${'/1'.repeat(100)}`,
  ])('finds no group in %j', (value) => expect(multicastConnection(value)).toBeNull());
});

describe('includedSource', () => {
  it.each([
    ['incl IN IP4 239.1.1.1 192.0.2.10', '192.0.2.10'],
    [' incl IN IP4 * 192.0.2.10 192.0.2.11', '192.0.2.10'],
    ['incl IN IP6 ff15::1 2001:db8::8', '2001:db8::8'],
    ['excl IN IP4 239.1.1.1 192.0.2.10', null],
    ['incl IN IP4 239.1.1.1 camera.example', null],
    ['incl IN IP4 239.1.1.1 239.1.1.2', null],
    ['incl IN IP4 239.1.1.1', null],
    ['', null],
  ])('%j: %s', (value, source) => expect(includedSource(value)).toBe(source));
});

describe('a description with groups', () => {
  const parse = (lines: readonly string[]) =>
    parseSessionDescription(Buffer.from(lines.join('\r\n'))).media.map(({ port, group, groupSource }) => ({
      port,
      group: group?.address ?? null,
      groupSource,
    }));

  it('passes those of the session on to sections without their own', () => {
    const lines = [
      'v=0',
      'c=IN IP4 239.1.1.1/16',
      'a=source-filter: incl IN IP4 * 192.0.2.10',
      'm=video 5000 RTP/AVP 96',
      'm=audio 5002/2 RTP/AVP 97',
      'c=IN IP4 239.1.1.2/16',
      'a=source-filter:incl IN IP4 239.1.1.2 192.0.2.11',
      'm=application 0 RTP/AVP 107',
      'c=IN IP4 0.0.0.0',
    ];
    expect(parse(lines)).toEqual([
      { port: 5_000, group: '239.1.1.1', groupSource: '192.0.2.10' },
      { port: 5_002, group: '239.1.1.2', groupSource: '192.0.2.11' },
      { port: 0, group: null, groupSource: '192.0.2.10' },
    ]);
  });

  it.each(['video 70000 RTP/AVP 96', 'video x RTP/AVP 96', 'video'])('%s has no port', (media) =>
    expect(parse(['v=0', `m=${media}`])[0]!.port).toBe(0),
  );
});

it('never throws, and finds only groups and hosts', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.ipV4(), fc.ipV6()), fc.constantFrom('IP4', 'IP6'), (text, type) => {
      const group = multicastConnection(`IN ${type} ${text}`);
      if (group !== null) expect(isHostAddress(group.address)).toBe(false);
      const source = includedSource(`incl IN ${type} * ${text}`);
      if (source !== null) expect(isHostAddress(source)).toBe(true);
    }),
    randomRuns(1_000),
  );
});
