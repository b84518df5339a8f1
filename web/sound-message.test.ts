import { expect, it } from 'vitest';
import { readSoundMessage, readTalkMessage } from './sound-message.ts';

const message = (...bytes: number[]) => Uint8Array.from(bytes).buffer;
const EPOCH = [0, 0, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0];

it('reads the time of the next packet, and packets', () => {
  expect(readSoundMessage(message(1, 0, 0, 8, ...EPOCH))).toEqual({
    kind: 'epoch',
    epochMs: 1_700_000_000_000,
  });
  const packet = Uint8Array.of(0xf8, 7);
  expect(readSoundMessage(message(2, 0, 0, 2, 0xf8, 7))).toEqual({ kind: 'packet', packet });
  expect(readSoundMessage(message(0x82, 0, 0, 2, 0xf8, 7))).toEqual({ kind: 'packet', packet });
});

it.each([
  ['{"action":"talk","state":"talking","by":"Ann"}', true],
  ['{"action":"talk","state":"ended"}', false],
  ['{"action":"talk","state":"refused","reason":"busy"}', null],
  ['{"action":"reconnect"}', null],
  ['null', null],
  ['{', null],
])('reads whether someone talks: %s', (text, isTalking) => {
  expect(readTalkMessage(text)).toBe(isTalking);
});

it.each([
  ['nothing', []],
  ['less than a head', [2, 0, 0]],
  ['a record that is cut', [2, 0, 0, 3, 1, 2]],
  ['more than a record', [2, 0, 0, 1, 1, 2]],
  ['a time of four bytes', [1, 0, 0, 4, 1, 2, 3, 4]],
  ['a record to be ignored', [0, 0, 0, 1, 7]],
])('ignores %s', (_what, bytes) => {
  expect(readSoundMessage(message(...bytes))).toBeNull();
});
