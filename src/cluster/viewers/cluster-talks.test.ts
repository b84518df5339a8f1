import { beforeEach, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { FakeCluster, type FakeNode } from './fake-cluster.ts';

const [DOOR, GATE] = [newRuuid(), newRuuid()];

let cluster: FakeCluster;
let [a, b]: FakeNode[] = [];
/** What viewers at the second node learn. */
let changes: string[];
beforeEach(async () => {
  cluster = new FakeCluster();
  [a, b] = [cluster.add('a'), cluster.add('b')];
  changes = [];
  b.talks.onChange((camera) =>
    changes.push(`${camera === DOOR ? 'door' : 'gate'}: ${b!.talks.find(camera)}`),
  );
  await cluster.pass(500);
});

it('tells other nodes who talks, until they end', async () => {
  a!.talks.say(DOOR, 'Ann');
  await cluster.pass(100);
  expect([b!.talks.find(DOOR), b!.talks.find(GATE), a!.talks.find(DOOR)]).toEqual(['Ann', null, null]);
  const late = cluster.add('c');
  await cluster.pass(500);
  expect(late.talks.find(DOOR)).toBe('Ann');
  a!.talks.say(DOOR, null);
  await cluster.pass(100);
  expect([changes, late.talks.find(DOOR)]).toEqual([['door: Ann', 'door: null'], null]);
});

it('forgets the talks of a node that died', async () => {
  a!.talks.say(DOOR, 'Ann');
  await cluster.pass(100);
  cluster.kill(a!);
  await cluster.pass(2_500);
  expect(changes).toEqual(['door: Ann', 'door: null']);
});

it('learns after a broken link what ended, and what began', async () => {
  a!.talks.say(DOOR, 'Ann');
  await cluster.pass(100);
  cluster.setReachable(a!, b!, false);
  a!.talks.say(DOOR, null);
  a!.talks.say(GATE, 'Bob');
  await cluster.pass(1_000);
  expect(changes).toEqual(['door: Ann']);
  cluster.setReachable(a!, b!, true);
  await cluster.pass(1_000);
  expect([b!.talks.find(DOOR), b!.talks.find(GATE)]).toEqual([null, 'Bob']);
  expect(changes).toEqual(['door: Ann', 'gate: Bob', 'door: null']);
});
