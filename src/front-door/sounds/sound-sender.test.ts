import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { FakeSounds } from '../fake-live-camera.ts';
import { SoundMessages } from './sound-message.ts';
import { SoundSender } from './sound-sender.ts';

const EPOCH_MS = 1_700_000_000_000;
const HEX_EPOCH = `01000008${EPOCH_MS.toString(16).padStart(16, '0')}`;

let sounds: FakeSounds;
let sent: string[];
let isBehind: boolean;
let gone: string | null;

beforeEach(() => {
  sounds = new FakeSounds();
  [sent, isBehind, gone] = [[], false, null];
  new SoundSender(sounds, new SoundMessages()).attach({
    carry: (message) => {
      if (!isBehind) sent.push(message.toString('hex'));
      return !isBehind;
    },
    onGone: ({ code }) => {
      gone = code;
    },
  });
});

const publish = (afterMs: number, ...packet: number[]) =>
  sounds.publish({ epochMs: EPOCH_MS + afterMs, packet: Uint8Array.from(packet) });

/** The records: `0` for the time, in ms after EPOCH_MS, and the packets. */
const records = () =>
  sent.map((hex) =>
    hex.startsWith('01') ? `at ${Number(BigInt(`0x${hex.slice(8)}`)) - EPOCH_MS}` : hex.slice(8),
  );

describe('SoundSender', () => {
  it('sends the time, then packets', () => {
    publish(0, 0xf8, 7);
    expect(sent).toEqual([HEX_EPOCH, '02000002f807']);
  });

  it('sends the time again only when clients would count another one', () => {
    for (const [packet, ms] of [0, 20.4, 41, 58, 80, 160, 180, 170, 190].entries()) publish(ms, packet);
    expect(records().join(' ')).toBe('at 0 00 01 02 03 04 at 160 05 06 at 170 07 08');
  });

  it('leaves out what a listener is too slow for, and says the time when it goes on', () => {
    publish(0, 0);
    isBehind = true;
    publish(20, 1);
    isBehind = false;
    publish(40, 2);
    expect(records()).toEqual(['at 0', '00', 'at 40', '02']);
  });

  it('says that nothing more comes', () => {
    sounds.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    expect(gone).toBe('STREAM_OFFLINE');
  });
});
