import { expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { recordSeen } from './cluster-events.ts';

const [HERE, THERE] = [newRuuid(), newRuuid()];
const seenOf = (cameraUuid: Ruuid) => ({ cameraUuid, fromMs: 1, toMs: 2 });

it('tells other nodes of cameras that they record, and records what they tell of its own', () => {
  const recorded: Ruuid[] = [];
  const told: unknown[] = [];
  let hear: (body: unknown) => void = () => undefined;
  const seen = recordSeen(
    {
      isPlacedHere: (cameraUuid) => cameraUuid === HERE,
      tell: (kind, body) => void told.push([kind, body]),
      onTold: (_kind, handler) => {
        hear = handler;
      },
    },
    (cameraUuid) => recorded.push(cameraUuid),
  );
  seen([seenOf(HERE), seenOf(THERE)]);
  expect(told).toEqual([['events.seen', [seenOf(THERE)]]]);
  expect(recorded.splice(0)).toEqual([HERE, THERE]);
  seen([seenOf(HERE)]);
  expect([told.length, recorded.splice(0)]).toEqual([1, [HERE]]);
  hear([seenOf(HERE), seenOf(THERE)]);
  expect(recorded).toEqual([HERE]);
});
