import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { parsePlaylistQuery } from './playlist-query.ts';

function codeOf(query: string): string {
  try {
    parsePlaylistQuery(query);
    return 'ok';
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    expect(thrown.kind).toBe('invalid-input');
    return thrown.code;
  }
}

describe('parsePlaylistQuery', () => {
  it.each([
    ['', -1, -1, false],
    ['_HLS_msn=0', 0, -1, false],
    ['_HLS_msn=17&_HLS_part=3', 17, 3, false],
    ['_HLS_part=3&_HLS_msn=17', 17, 3, false],
    ['_HLS_msn=17&_HLS_part=0&_HLS_skip=YES', 17, 0, true],
    ['_HLS_skip=v2', -1, -1, true],
    ['cache=1&_HLS_msn=5&x', 5, -1, false],
    ['&&_HLS_msn=5&', 5, -1, false],
    ['_HLS_msn=5&_HLS_msn=6', 6, -1, false],
    ['_HLS_report=../sub.m3u8', -1, -1, false],
    ['a_HLS_msn=x&_HLS_msnx=y', -1, -1, false],
    ['password=%5FHLS_', -1, -1, false],
    ['_HLS_msn=999999999999999', 999_999_999_999_999, -1, false],
  ])('reads %j', (query, msn, part, skip) => {
    expect(parsePlaylistQuery(query)).toEqual({ msn, part, skip, firstMsn: -1 });
  });

  it.each([
    ['_HLS_msn', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=-1', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=1.5', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=1e3', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=%31', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=9999999999999999', 'HLS_BAD_SEQUENCE_NUMBER'],
    ['_HLS_msn=1&_HLS_part=a', 'HLS_BAD_PART'],
    ['_HLS_part=1', 'HLS_PART_WITHOUT_MSN'],
    ['_HLS_skip=NO', 'HLS_BAD_SKIP'],
    ['_HLS_skip=yes', 'HLS_BAD_SKIP'],
  ])('refuses %j', (query, code) => {
    expect(codeOf(query)).toBe(code);
  });

  it('reads which opening a piecewise playlist is of', () => {
    expect(parsePlaylistQuery('first=12')).toEqual({ msn: -1, part: -1, skip: false, firstMsn: 12 });
    expect(parsePlaylistQuery('first=12&_HLS_msn=14&_HLS_part=0')).toEqual({
      msn: 14,
      part: 0,
      skip: false,
      firstMsn: 12,
    });
    expect(codeOf('first=soon')).toBe('HLS_BAD_FIRST');
  });

  it('gives legal directives or a coded error for any query', () => {
    const piece = fc.oneof(
      fc.constantFrom('_HLS_msn', '_HLS_part', '_HLS_skip', '=', '&', '1', 'YES', 'v2', '-', '%'),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const query = pieces.join('');
        if (codeOf(query) !== 'ok') return;
        const { msn, part } = parsePlaylistQuery(query);
        expect(Number.isSafeInteger(msn) && Number.isSafeInteger(part)).toBe(true);
        expect(msn >= -1 && part >= -1 && (part === -1 || msn >= 0)).toBe(true);
      }),
      randomRuns(5_000),
    );
  });
});
