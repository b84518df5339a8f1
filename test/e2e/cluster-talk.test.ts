/** Talking in a cluster: GStreamer's ONVIF server plays what is said at any node, and one person talks at a time. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { SoundClient } from '../../src/front-door/sounds/sound-client-fixture.ts';
import { TestCluster } from '../support/cluster.ts';
import { API_KEY, type Json, type TestGateway } from '../support/gateway.ts';
import { type GstSpeaker, startGstSpeaker } from '../support/gst-speaker.ts';
import { openShare } from '../support/hls.ts';
import { movedTo } from '../support/load-balancer.ts';
import { until } from '../support/until.ts';

const CONTROL = Uint8Array.from([...Buffer.from('ctrl'), 0, 0, 0, 8, ...Array(8).fill(0xff)]);
const LOUD = new Uint8Array(1_920).fill(0x20);
const FRAME_MS = 20;

let speaker: GstSpeaker;
let cluster: TestCluster;
/** Those who talk, until they are stopped. */
const speaking: (() => void)[] = [];

beforeAll(async () => {
  speaker = await startGstSpeaker('PCMU');
  cluster = await TestCluster.start(3, { cameras: [{ name: 'Door', rtsp: speaker.url }] });
}, 400_000);
afterAll(async () => {
  for (const stop of speaking) stop();
  await cluster?.dispose();
  await speaker?.stop();
});

const told = ({ texts }: SoundClient) =>
  texts
    .map((text) => JSON.parse(text))
    .filter(({ action }: Json) => action === 'talk')
    .map(({ state, reason, isOwn, by }: Json) => `${state} ${reason ?? by ?? isOwn ?? ''}`.trim());

async function listen(node: TestGateway): Promise<SoundClient> {
  const cameraUuid = await node.cameraUuid('Door');
  const { wanLiveOpusUri } = await node.call('camera/getMediaUris', { cameraUuid });
  const url = movedTo(wanLiveOpusUri.replace(/^ws/, 'http').replace('/opus/ws', '/talk/ws'), node);
  return SoundClient.open(url, { 'x-auth-scheme': 'api-token', 'x-auth-apikey': API_KEY });
}

/** Talks from now on. Returns what ends it. */
function speak(client: SoundClient): () => void {
  client.say(CONTROL);
  const timer = setInterval(() => client.say(LOUD), FRAME_MS);
  const stop = () => clearInterval(timer);
  speaking.push(stop);
  return stop;
}

async function untilHeard(): Promise<void> {
  const before = speaker.heard().length;
  await until('sound at the speaker', () => speaker.heard().length > before);
}

it('is heard from each node, one after the other, and viewers at all nodes see who talks', async () => {
  const clients = await Promise.all(cluster.nodes.map(listen));
  const { m3u8Url } = await cluster.nodes[0]!.share('Door', { talk: true });
  const guests = await Promise.all(
    cluster.nodes.map(async (node) => {
      const folder = await until('the share is open', () => openShare(movedTo(m3u8Url, node)));
      return SoundClient.open(new URL('talk/ws', folder).href);
    }),
  );
  for (const [at, client] of clients.entries()) {
    const others = clients.filter((each) => each !== client);
    const stop = speak(client);
    await untilHeard();
    await until('others are told', () => others.every((each) => /^talking ./.test(told(each).at(-1) ?? '')));
    await until('guests are told', () => guests.every((each) => told(each).at(-1) === 'talking'));
    const interrupts = speak(others[0]!);
    await until('a refusal', () => told(others[0]!).at(-1) === 'refused busy');
    interrupts();
    stop();
    await until('the end', () => clients.every((each) => told(each).at(-1) === 'ended'));
    expect(told(client).filter((each) => each === 'talking true').length, `node ${at}`).toBe(1);
  }
  for (const each of [...clients, ...guests]) each.leave();
}, 120_000);

it('is free for others after the node of the talk has died, and after another one has left', async () => {
  const [first, second, third] = cluster.nodes as [TestGateway, TestGateway, TestGateway];
  const [dying, leaving, last] = [await listen(first), await listen(second), await listen(third)];
  const stop = speak(dying);
  await untilHeard();
  await until('news of the talk', () => told(last).at(-1)?.startsWith('talking') === true);
  await first.child.end('SIGKILL');
  stop();
  await until('the end', () => told(last).at(-1) === 'ended');
  await until('a talk at another node', async () => {
    const done = speak(leaving);
    await until('a decision', () => /^(?:talking true|refused)/.test(told(leaving).at(-1) ?? ''));
    if (told(leaving).at(-1) === 'talking true') return true;
    done();
    return false;
  });
  await untilHeard();
  const leavingNode = second.child.end('SIGTERM');
  await until('the end at the node that leaves', () => leaving.end !== null);
  await leavingNode;
  await until('the end for others', () => told(last).at(-1) === 'ended');
  speak(last);
  await untilHeard();
  expect(told(last).at(-1)).toBe('talking true');
}, 120_000);
