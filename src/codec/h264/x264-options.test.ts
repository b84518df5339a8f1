import { expect, it } from 'vitest';
import { statesIntraRefresh } from './x264-options.ts';

const UUID = 'dc45e9bde6d948b7962cd820d923eeef';
const IDR = Buffer.of(0x65, 0x88, 0x84);

/** User data that lie after `uuid`. */
function sei(options: string, uuid = UUID): Buffer {
  const payload = Buffer.concat([
    Buffer.from(uuid, 'hex'),
    Buffer.from(`x264 - core 164 - options: ${options}`),
  ]);
  return Buffer.concat([Buffer.of(0x06, 0x05, payload.length), payload, Buffer.of(0x80)]);
}

function picture(nalus: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

it.each<[string, readonly Uint8Array[], boolean]>([
  ['intra refresh', [sei('cabac=1 intra_refresh=1 rc=crf'), IDR], true],
  [
    'intra refresh, after another message',
    [Buffer.from('060601c480', 'hex'), sei('a=1 intra_refresh=1'), IDR],
    true,
  ],
  ['key frames', [sei('cabac=1 intra_refresh=0 rc=crf'), IDR], false],
  ['another option with that end', [sei('no_intra_refresh=1'), IDR], false],
  ['the text of another encoder', [sei('a=1 intra_refresh=1', '00'.repeat(16)), IDR], false],
  ['nothing, and the text is in the picture', [IDR, sei('a=1 intra_refresh=1')], false],
  ['nothing', [], false],
])('an encoder that states %s', (_title, nalus, expected) => {
  expect(statesIntraRefresh(picture(nalus))).toBe(expected);
});

it('never throws, however the picture is cut off', () => {
  const whole = picture([sei('a=1 intra_refresh=1'), IDR]);
  for (let length = 0; length < whole.length; length++) {
    expect(() => statesIntraRefresh(whole.subarray(0, length))).not.toThrow();
  }
});
