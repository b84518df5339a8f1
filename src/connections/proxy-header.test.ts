import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { MAX_BINARY_HEADER_BYTES, MAX_TEXT_HEADER_BYTES, readProxyHeader } from './proxy-header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const REST = Buffer.from('GET / HTTP/1.1\r\n');

const text = (line: string) => Buffer.from(line, 'latin1');
const binary = (hex: string) => Buffer.from(SIGNATURE + hex.replaceAll(' ', ''), 'hex');

const TCP4 = binary('21 11 000c c0000201 cb007107 d431 01bb');
const TCP6 = binary('21 21 0024 20010db8000000000000000000000001 20010db8000000000000000000000002 d431 01bb');

describe('the header of a proxy', () => {
  it.each([
    ['PROXY TCP4 192.0.2.1 203.0.113.7 54321 443\r\n', { address: '192.0.2.1', port: 54_321 }],
    ['PROXY TCP6 2001:db8::1 2001:db8::2 54321 443\r\n', { address: '2001:db8::1', port: 54_321 }],
    ['PROXY UNKNOWN\r\n', null],
    ['PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n', null],
  ])('in text: %j', (line, source) => {
    const header = { byteLength: line.length, source };
    expect(readProxyHeader(Buffer.concat([text(line), REST]))).toEqual(header);
  });

  it.each([
    ['IPv4', TCP4, { address: '192.0.2.1', port: 54_321 }],
    ['IPv6', TCP6, { address: '2001:db8:0:0:0:0:0:1', port: 54_321 }],
    [
      'with values after the address',
      binary('21 11 0010 c0000201 cb007107 d431 01bb 04000100'),
      { address: '192.0.2.1', port: 54_321 },
    ],
    ['the proxy itself', binary('20 00 0000'), null],
    ['a UNIX socket', binary(`21 31 00d8 ${'00'.repeat(216)}`), null],
  ])('in bytes: %s', (_what, bytes, source) => {
    expect(readProxyHeader(Buffer.concat([bytes, REST]))).toEqual({ byteLength: bytes.length, source });
  });

  it.each([
    ['HTTP', REST],
    ['HTTP/2', text('PRI * HTTP/2.0\r\n')],
    ['a hello of TLS', Buffer.from('1603010200', 'hex')],
    ['the wrong family', text('PROXY TCP4 2001:db8::1 203.0.113.7 1 2\r\n')],
    ['a name', text('PROXY TCP4 localhost 203.0.113.7 1 2\r\n')],
    ['a port that is none', text('PROXY TCP4 192.0.2.1 203.0.113.7 65536 2\r\n')],
    ['a port with zeros', text('PROXY TCP4 192.0.2.1 203.0.113.7 001 2\r\n')],
    ['two spaces', text('PROXY TCP4  192.0.2.1 203.0.113.7 1 2\r\n')],
    ['a line without an end', text(`PROXY ${'1'.repeat(MAX_TEXT_HEADER_BYTES)}`)],
    ['another version', binary('11 11 000c c0000201 cb007107 d431 01bb')],
    ['another command', binary('22 11 000c c0000201 cb007107 d431 01bb')],
    ['UDP', binary('21 12 000c c0000201 cb007107 d431 01bb')],
    ['too few bytes of an address', binary('21 11 0004 c0000201')],
    ['more than anyone sends', binary('21 11 ffff c0000201 cb007107 d431 01bb')],
  ])('is not %s', (_what, bytes) => {
    expect(readProxyHeader(bytes)).toBe('invalid');
  });

  it('may come byte by byte', () => {
    for (const whole of [TCP4, TCP6, text('PROXY TCP4 192.0.2.1 203.0.113.7 54321 443\r\n')]) {
      for (let length = 0; length < whole.length; length++) {
        expect(readProxyHeader(whole.subarray(0, length))).toBe('more');
      }
      expect(readProxyHeader(whole)).toMatchObject({ byteLength: whole.length });
    }
  });

  it('is found in any bytes within its bound, or not at all', () => {
    const starts = fc.constantFrom(
      text('PROXY '),
      text('PROXY TCP4 '),
      binary(''),
      binary('21'),
      binary('2111'),
      text(''),
    );
    const bytes = fc
      .tuple(starts, fc.uint8Array({ maxLength: 300 }))
      .map(([start, more]) => Buffer.concat([start, more]));
    fc.assert(
      fc.property(bytes, (given) => {
        const header = readProxyHeader(given);
        if (header === 'more') expect(given.length).toBeLessThan(MAX_BINARY_HEADER_BYTES);
        else if (header !== 'invalid') expect(header.byteLength).toBeLessThanOrEqual(given.length);
      }),
      randomRuns(2_000),
    );
  });

  it('names the address that was written, whatever follows', () => {
    const written = fc.record({
      address: fc.ipV4(),
      port: fc.nat(65_535),
      rest: fc.uint8Array({ maxLength: 50 }),
    });
    fc.assert(
      fc.property(written, ({ address, port, rest }) => {
        const line = text(`PROXY TCP4 ${address} 203.0.113.7 ${port} 443\r\n`);
        const fields = Buffer.alloc(12);
        fields.set(address.split('.').map(Number));
        fields.writeUInt16BE(port, 8);
        const packed = Buffer.concat([binary('21 11 000c'), fields]);
        for (const header of [line, packed]) {
          const read = readProxyHeader(Buffer.concat([header, rest]));
          expect(read).toEqual({ byteLength: header.length, source: { address, port } });
        }
      }),
      randomRuns(500),
    );
  });
});
