/** Networks that lose, delay, swap and repeat packets, and cameras that send garbage between them. */

import type { CameraFaults } from '../../../../src/synthetic-camera/faults.ts';
import type { CameraHabits } from '../../../../src/synthetic-camera/habits.ts';
import { type Behaviour, plays, playsAgain } from '../behaviour.ts';
import { benchClip, camera, SOUNDS } from '../cameras.ts';

const group = 'network';
const SEED = 7;

/** About 15 packets per frame, as large frames have. */
const heavy = () => benchClip({ widthPx: 640, heightPx: 360, gopSec: 2, bitrateBitsPerSec: 4_000_000 });

const LOSSES: Readonly<Record<string, CameraFaults>> = {
  '1% lost at random': { loss: { share: 0.01, seed: SEED } },
  '1% lost in bursts': { loss: { share: 0.01, meanBurstPackets: 5, seed: SEED } },
  '5% lost at random': { loss: { share: 0.05, seed: SEED } },
  'every 20th lost': { dropEveryNthPacket: 20 },
};

const DISORDER: Readonly<Record<string, CameraFaults>> = {
  'every 10th late': { delayEveryNthPacket: 10 },
  'neighbors swapped': { reorder: true },
};

function repeating(everyNth: number): CameraHabits {
  return {
    connection: () => {
      let count = 0;
      return {
        packets: (packets) =>
          packets.flatMap((packet) => (++count % everyNth === 0 ? [packet, packet] : [packet])),
      };
    },
  };
}

const lossy = Object.entries(LOSSES).flatMap(([name, faults]) =>
  SOUNDS.map((sound) =>
    plays(
      { group, name: `${name}, sound: ${sound}`, reading: 'udp', start: camera({ faults, sound }) },
      {
        mayLose: true,
        takesWorker: sound === 'G.711',
        sound: sound === 'none' ? 'absent' : 'heard',
      },
    ),
  ),
);

const disorderly = Object.entries(DISORDER).flatMap(([name, faults]) =>
  SOUNDS.map((sound) =>
    plays(
      { group, name: `${name}, sound: ${sound}`, reading: 'udp', start: camera({ faults, sound }) },
      { takesWorker: sound === 'G.711' },
    ),
  ),
);

/** A key frame of 80 packets must arrive completely before anything plays: at 5%, that is one in sixty. */
const large: readonly Behaviour[] = [
  ...Object.entries(LOSSES)
    .filter(([name]) => name.startsWith('1 %'))
    .map(([name, faults]) =>
      plays(
        {
          group,
          name: `${name}, large pictures`,
          reading: 'udp',
          start: camera({ faults, clip: heavy, sound: 'none' }),
        },
        { mayLose: true, startWithinSec: 20, watchSec: 10 },
      ),
    ),
  plays({ group, name: 'large pictures, whole', reading: 'udp', start: camera({ clip: heavy }) }),
];

export const cases: readonly Behaviour[] = [
  ...lossy,
  ...disorderly,
  ...large,
  plays({ group, name: 'every 5th twice', reading: 'udp', start: camera({ habits: repeating(5) }) }),
  plays({ group, name: 'every packet twice', reading: 'udp', start: camera({ habits: repeating(1) }) }),
  plays({ group, name: 'every 5th twice', reading: 'tcp', start: camera({ habits: repeating(5) }) }),
  plays(
    {
      group,
      name: 'a busy camera skips packets',
      reading: 'tcp',
      start: camera({ faults: { dropEveryNthPacket: 50 } }),
    },
    { mayLose: true },
  ),
  plays(
    {
      group,
      name: 'a busy camera skips packets',
      reading: 'worker',
      start: camera({ faults: { dropEveryNthPacket: 50 } }),
    },
    { mayLose: true, isClean: false },
  ),
  plays(
    {
      group,
      name: 'random payloads now and then',
      reading: 'tcp',
      start: camera({ faults: { garbage: 'rtp' } }),
    },
    { mayLose: true, isClean: false },
  ),
  plays(
    {
      group,
      name: 'random payloads now and then',
      reading: 'udp',
      start: camera({ faults: { garbage: 'rtp' } }),
    },
    { mayLose: true, isClean: false },
  ),
  playsAgain(
    {
      group,
      name: 'random bytes between frames',
      reading: 'tcp',
      start: camera({ faults: { garbage: 'rtsp' } }),
    },
    8,
  ),
  ...(['tcp', 'udp'] as const).map((served) =>
    plays(
      {
        group,
        name: `transport auto, only ${served} served`,
        reading: 'tcp',
        start: camera({ transports: [served] }),
      },
      { config: { transport: 'auto' } },
    ),
  ),
];
